/* SPDX-License-Identifier: MIT */
#include "pipeline/tests.h"

int main(void)
{
    return test_columns() + test_runs() + test_samples() + test_streams();
}
