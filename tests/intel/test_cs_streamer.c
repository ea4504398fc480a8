#include "intel/tests.h"
int test_cs_streamer(void)
{
    return 0;
}
