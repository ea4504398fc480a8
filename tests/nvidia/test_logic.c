/* SPDX-License-Identifier: MIT */
/* Formulas of truth tables: each of the 65536 tables is evaluated from its text. */
#include "nvidia/tests.h"

#include "nvidia/pcounter/logic.h"

/* Evaluates the words of a formula between two words, for inputs that are the bits of `row`. */
static bool evaluate(char *text, unsigned row)
{
    bool negated = !strncmp(text, "!(", 2), sum = false, parity = false, product = true;
    bool is_parity = strstr(text, " ^ ");
    char *save, *word = strtok_r(text, negated ? "!() " : " ", &save);
    if (!strcmp(word, "0") || !strcmp(word, "1"))
        return word[0] == '1';
    for (; word; word = strtok_r(NULL, negated ? "() " : " ", &save)) {
        if (!strcmp(word, "|"))
            sum |= product, product = true;
        else if (word[0] == 'a' || word[0] == '!') {
            bool not = word[0] == '!', input = row >> (word[not +1] - '0') & 1;
            parity ^= input != not ;
            product &= input != not ;
        }
    }
    return is_parity ? parity != negated : sum || product;
}

static void test_formulas(void **state)
{
    (void)state;
    for (uint32_t table = 0; table <= 0xffff; table++) {
        char text[256], copy[256];
        uint32_t got = 0;
        assert_ptr_equal(logic_formula((uint16_t)table, text, sizeof text), text);
        for (unsigned row = 0; row < 16; row++) {
            snprintf(copy, sizeof copy, "%s", text);
            got |= (uint32_t)(*copy && evaluate(copy, row)) << row;
        }
        ROW(__LINE__, *text && got == table, "%04x: \"%s\" is %04x", table, text, got);
    }
    char text[256];
    assert_string_equal(logic_formula(0, text, sizeof text), "0");
    assert_string_equal(logic_formula(0xffff, text, sizeof text), "1");
    assert_string_equal(logic_formula(0x6666, text, sizeof text), "a0 ^ a1");
    ROWS_DONE();
}

/* A formula that does not fit is cut off, and nothing behind the end is written. */
static void test_short_texts(void **state)
{
    (void)state;
    static const uint16_t tables[] = {0, 0x6666, 0x6996, 0x9669, 0x1234, 0xfffe};
    for (size_t i = 0; i < COUNT(tables); i++) {
        char whole[256], part[256];
        logic_formula(tables[i], whole, sizeof whole);
        for (size_t size = 1; size <= strlen(whole) + 1; size++) {
            memset(part, '#', sizeof part);
            logic_formula(tables[i], part, size);
            ROW(__LINE__, strlen(part) == size - 1 && !strncmp(part, whole, size - 1),
                "%04x in %zu bytes: %s", tables[i], size, part);
            for (size_t k = size; k < sizeof part; k++)
                ROW(__LINE__, part[k] == '#', "%04x in %zu bytes: byte %zu", tables[i], size, k);
        }
    }
    ROWS_DONE();
}

int test_logic(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formulas),
                                       cmocka_unit_test(test_short_texts)};
    return cmocka_run_group_tests_name("logic", tests, NULL, NULL);
}
