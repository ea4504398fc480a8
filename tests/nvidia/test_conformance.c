/* SPDX-License-Identifier: MIT */
/* The statements of the hardware document, tested on the engine and on the reference; and
 * docs/pcounter-conformance.md, which lists them. */
#include "nvidia/tests.h"

#include "nvidia/conformance/language.h"

/* The document's sections, in the order of the document and of the list. */
static const char *const sections[] = {
    "Introduction",
    "MMIO registers",
    "MMIO registers: NV10",
    "MMIO registers: NV40",
    "MMIO registers: GF100",
    "The PCOUNTER signals",
    "The STATUS registers",
    "Trailer signals",
    "The EVENT and FLAG signals",
    "The USER signals",
    "The PERIODIC signal",
    "Input selection",
    "Counters",
    "Special counter modes",
    "Control registers",
    "Single event mode",
    "Quad event mode",
    "Record mode",
    "Record mode setup",
    "The flag",
};

static const struct conformance_document documents[] = {
    {.name = "pcounter", .sections = sections, .section_count = COUNT(sections)},
};

static const struct conformance_rows generated[] = {
    {generated_register_cases, &generated_register_case_count},
    {generated_input_cases, &generated_input_case_count},
    {generated_signal_cases, &generated_signal_case_count},
    {chip_cases, &chip_case_count},
};

static const char *const stored[] = {"SWAP-02", "CTRL-07", "CTRL-08", "CTRL-13", NULL};

static const struct conformance_suite suite = {
    .language = &pcounter_language,
    .folder = "tests/nvidia/conformance",
    .list = "docs/pcounter-conformance.md",
    .heading = "revisions",
    .documents = documents,
    .document_count = COUNT(documents),
    .generated = generated,
    .generated_count = COUNT(generated),
    .stored = stored,
};

int test_conformance(void)
{
    return conformance_test(&suite);
}
