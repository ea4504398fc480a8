/* SPDX-License-Identifier: MIT */
/* The shipped sets of NVIDIA's chipsets: how many, what they need, and their values against a plain
 * evaluation of their formulas. */
#include "metrics/tests.h"

#include <tally/chipset.h>

#include "metrics/infix.h"
#include "metrics/signal_plan.h"

/* ---- a plain evaluation of formulas -------------------------------------------------------- */

/* Evaluates a formula as C would, by recursive descent: sums and products of integers are integers,
 * everything else is a double. Shares no code with the product. */
struct plain {
    const char *at;
    const struct tally_metric_set *set;
    const uint64_t *deltas;
};

struct number {
    bool real;
    uint64_t u;
    double f;
};

static struct number integer(uint64_t u)
{
    return (struct number){.u = u, .f = (double)u};
}

static struct number real(double f)
{
    return (struct number){.real = true, .f = f};
}

static struct number plain_sum(struct plain *plain);

static struct number plain_formula(const struct plain *from, const char *text)
{
    struct plain plain = {text, from->set, from->deltas};
    struct number number = plain_sum(&plain);
    assert_int_equal(*plain.at, 0);
    return number;
}

static char plain_next(struct plain *plain)
{
    while (*plain->at == ' ')
        plain->at++;
    return *plain->at;
}

static struct number plain_name(struct plain *plain, const char *name, size_t slot)
{
    for (size_t i = 0; i < plain->set->signal_count; i++)
        if (!strcmp(plain->set->signals[i].symbol, name))
            return integer(plain->deltas[slot + i]);
    for (size_t i = 0; i < plain->set->counter_count; i++)
        if (!strcmp(plain->set->counters[i].symbol, name))
            return plain_formula(plain, plain->set->counters[i].formula);
    fail_msg("unknown name %s", name);
    return integer(0);
}

static struct number plain_operand(struct plain *plain)
{
    struct number number;
    char c = plain_next(plain), name[64] = "";
    char *end;
    int size = 0;
    if (c == '(') {
        plain->at++;
        number = plain_sum(plain);
        assert_int_equal(plain_next(plain), ')');
        plain->at++;
        return number;
    }
    if (c >= '0' && c <= '9') {
        double value = strtod(plain->at, &end);
        bool whole = !memchr(plain->at, '.', (size_t)(end - plain->at));
        plain->at = end;
        return whole ? integer((uint64_t)value) : real(value);
    }
    sscanf(plain->at, "%63[A-Za-z0-9_]%n", name, &size);
    assert_true(size > 0);
    plain->at += size;
    if (plain_next(plain) != '(')
        return plain_name(plain, name, TALLY_SLOT_A);
    assert_string_equal(name, "clocks");
    sscanf(plain->at, "(%63[A-Za-z0-9_])%n", name, &size);
    plain->at += size;
    return plain_name(plain, name, TALLY_SLOT_PEC);
}

static struct number plain_product(struct plain *plain)
{
    struct number left = plain_operand(plain);
    for (char op; (op = plain_next(plain)) == '*' || op == '/';) {
        plain->at++;
        struct number right = plain_operand(plain);
        if (op == '/')
            left = real(right.f != 0 ? left.f / right.f : (double)NAN);
        else if (left.real || right.real)
            left = real(left.f * right.f);
        else
            left = integer(left.u * right.u);
    }
    return left;
}

static struct number plain_sum(struct plain *plain)
{
    struct number left = plain_product(plain);
    for (char op; (op = plain_next(plain)) == '+' || op == '-';) {
        plain->at++;
        struct number right = plain_product(plain);
        if (op == '-')
            left = real(left.f - right.f);
        else if (left.real || right.real)
            left = real(left.f + right.f);
        else
            left = integer(left.u + right.u);
    }
    return left;
}

/* ---- the sets ------------------------------------------------------------------------------ */

static const struct tally_metric_set *const *shipped;
static ptrdiff_t shipped_count;
static struct tally_catalog *catalog;

static int set_up(void **state)
{
    struct tally_error error = {0};
    const struct tally_metric_set *const *all;
    static const struct tally_metric_set *found[4096];
    char path[512];
    (void)state;
    snprintf(path, sizeof path, "%s/data/metrics", source_directory());
    catalog = tally_catalog_new(path);
    assert_non_null(catalog);
    ptrdiff_t count = tally_catalog_sets(catalog, NULL, &all, &error);
    if (count < 0)
        fail_msg("%s", error.message);
    for (ptrdiff_t i = 0; i < count; i++)
        if (all[i]->signal_count && (size_t)shipped_count < COUNT(found))
            found[shipped_count++] = all[i];
    shipped = found;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tally_catalog_free(catalog);
    return 0;
}

/* The number of different counters of a chipset's sets. */
static size_t counters_of(const char *chipset)
{
    const char *seen[512];
    size_t count = 0;
    for (ptrdiff_t s = 0; s < shipped_count; s++) {
        if (strcmp(shipped[s]->chipset, chipset) != 0)
            continue;
        for (size_t i = 0; i < shipped[s]->counter_count; i++) {
            size_t k = 0;
            while (k < count && strcmp(seen[k], shipped[s]->counters[i].symbol) != 0)
                k++;
            if (k == count && count < COUNT(seen))
                seen[count++] = shipped[s]->counters[i].symbol;
        }
    }
    return count;
}

/* Of chipsets with the signals of some units, except those of which only the display's are known;
 * where no signal is known, the sets are for modelled GPUs. */
static void test_enough_counters(void **state)
{
    (void)state;
    const struct tally_chipset *chipset;
    for (size_t i = 0; (chipset = tally_chipset_at(i)); i++) {
        size_t counters = counters_of(chipset->name), signals = tally_signal_unit_count(chipset);
        if (signals > 8 || (!signals && counters))
            ROW(__LINE__, counters >= 10, "%s: %zu counters, %zu signals", chipset->name, counters,
                signals);
    }
    for (ptrdiff_t s = 0; s < shipped_count; s++)
        ROW(__LINE__,
            shipped[s]->modelled ==
                !tally_signal_unit_count(tally_chipset_find(shipped[s]->chipset)),
            "%s.%s: modelled %d", shipped[s]->chipset, shipped[s]->symbol, shipped[s]->modelled);
    ROWS_DONE();
}

/* Every counter is found by its chipset's name, compiles, and gives the bits of the plain
 * evaluation. */
static void test_values(void **state)
{
    (void)state;
    struct random rng = random_start(14);
    uint64_t deltas[TALLY_SLOT_COUNT];
    union tally_value values[64];
    unsigned undefined = 0, defined = 0;
    for (ptrdiff_t s = 0; s < shipped_count; s++) {
        const struct tally_metric_set *set = shipped[s], *found = NULL;
        struct tally_environment environment = {.timestamp_hz = 1000000000};
        struct tally_program *program = NULL;
        struct tally_error error = {0};
        ROW(__LINE__,
            tally_catalog_find(catalog, set->chipset, NULL, set->symbol, &found, &error) == 0 &&
                found == set,
            "%s.%s is not found: %s", set->chipset, set->symbol, error.message);
        if (!ROW(__LINE__,
                 tally_program_new(set, &environment, &signal_layout, &program, &error) == 0, "%s",
                 error.message))
            continue;
        for (unsigned run = 0; run < random_cases(40); run++) {
            for (size_t i = 0; i < COUNT(deltas); i++) /* often 0, often equal */
                deltas[i] = random_below(&rng, 4) ? random_below(&rng, 5) * 1000003 : 0;
            tally_program_evaluate(program, deltas, values);
            struct plain plain = {NULL, set, deltas};
            for (size_t i = 0; i < set->counter_count; i++) {
                const struct tally_counter *counter = &set->counters[i];
                struct number number = plain_formula(&plain, counter->formula);
                union tally_value expected = {.u = number.u};
                if (number.real)
                    expected.f = number.f;
                bool nothing = number.real && isnan(number.f);
                undefined += nothing;
                defined += !nothing;
                ROW(counter->line,
                    number.real == (counter->type == TALLY_DOUBLE) &&
                        same_value(values[i], expected, counter->type),
                    "%s.%s.%s is %s, expected %s", set->chipset, set->symbol, counter->symbol,
                    value_text(values[i], counter->type), value_text(expected, counter->type));
            }
        }
        tally_program_free(program);
    }
    assert_true(defined > 1000 && undefined > 100);
    ROWS_DONE();
}

/* Every signal is of a chipset's published ones, and can be counted; the terms of each ratio at the
 * same time. No finding but notes. */
static void put_finding(void *closure, enum tally_lint_severity severity, unsigned line,
                        const char *message)
{
    const struct tally_metric_set *set = closure;
    ROW(line, severity == TALLY_LINT_NOTE, "%s: %s", set->chipset, message);
}

static void test_no_findings(void **state)
{
    (void)state;
    for (ptrdiff_t s = 0; s < shipped_count; s++)
        ROW(__LINE__, tally_lint(shipped[s], put_finding, (void *)(uintptr_t)shipped[s]) == 0,
            "%s.%s", shipped[s]->chipset, shipped[s]->symbol);
    ROWS_DONE();
}

static void test_names_are_published(void **state)
{
    (void)state;
    size_t names = 0;
    for (ptrdiff_t s = 0; s < shipped_count; s++) {
        const struct tally_chipset *chipset = tally_chipset_find(shipped[s]->chipset);
        for (size_t i = 0; i < shipped[s]->signal_count && !shipped[s]->modelled; i++) {
            const struct tally_metric_signal *signal = &shipped[s]->signals[i];
            struct expression expression;
            assert_int_equal(expression_parse(signal->expression, &expression, NULL), 0);
            for (unsigned n = 0; n < expression.name_count; n++) {
                unsigned found = 0;
                const char *text = expression.names[n].text;
                for (unsigned domain = 0; *text && domain < TALLY_DOMAINS; domain++)
                    found += tally_signal_find(chipset, domain, text) >= 0;
                struct tally_signal listed;
                for (size_t k = 0; !*text && tally_signal_at(chipset, k, &listed) == 0; k++)
                    found += listed.index == expression.names[n].index &&
                             listed.domain == (unsigned)expression.domain;
                ROW(signal->line, found >= 1, "%s: %s \"%s\" is not in data/signals", chipset->name,
                    signal->symbol, signal->expression);
                names++;
            }
        }
    }
    assert_true(names > 1000);
    ROWS_DONE();
}

/* Returns whether a pass of a plan sets the bits of a selector. */
static bool is_set(const struct perfmon_plan *plan, uint32_t pass,
                   const struct tally_selector_write *write)
{
    for (size_t i = 0; i < plan->setting_count; i++) {
        const struct perfmon_setting *setting = &plan->settings[i];
        if (setting->pass == pass && setting->address == write->address &&
            (setting->mask & write->mask) == write->mask &&
            (setting->value & write->mask) == write->value)
            return true;
    }
    return false;
}

/* The plan of each set: its counters are those of its signals, with their selectors in the same
 * pass, and the terms of a ratio share a pass. */
static void test_plans(void **state)
{
    (void)state;
    unsigned grouped = 0;
    for (ptrdiff_t s = 0; s < shipped_count; s++) {
        const struct tally_metric_set *set = shipped[s];
        struct perfmon_plan *plan = NULL;
        struct tally_error error = {0};
        if (!ROW(__LINE__, signal_set_plan(set, signal_set_all(set), 0, &plan, &error) == 0, "%s",
                 error.message))
            continue;
        ROW(__LINE__, plan->placement_count == set->signal_count && plan->passes >= 1, "%s.%s",
            set->chipset, set->symbol);
        for (size_t i = 0; i < set->signal_count; i++) {
            for (size_t k = 0; k < set->signals[i].selector_count; k++)
                ROW(set->signals[i].line,
                    is_set(plan, plan->placements[i].pass, &set->signals[i].selectors[k]),
                    "%s.%s: selector %zu of %s", set->chipset, set->symbol, k,
                    set->signals[i].symbol);
            for (size_t k = 0; k < i; k++) {
                if (!set->signals[i].group || set->signals[i].group != set->signals[k].group)
                    continue;
                grouped++;
                ROW(set->signals[i].line,
                    plan->placements[i].pass == plan->placements[k].pass &&
                        plan->placements[i].clock == plan->placements[k].clock,
                    "%s.%s: %s and %s", set->chipset, set->symbol, set->signals[i].symbol,
                    set->signals[k].symbol);
            }
        }
        perfmon_plan_free(plan);
    }
    assert_true(grouped > 40);
    ROWS_DONE();
}

/* The explanation of a counter draws each signal of its own equation, and no raw counter. */
struct text {
    char bytes[8192];
    size_t size;
};

static void append(void *closure, const char *part)
{
    struct text *text = closure;
    text->size +=
        (size_t)snprintf(text->bytes + text->size, sizeof text->bytes - text->size, "%s", part);
    assert_true(text->size < sizeof text->bytes);
}

static void test_explanations(void **state)
{
    (void)state;
    static struct text text;
    for (ptrdiff_t s = 0; s < shipped_count; s++) {
        const struct tally_metric_set *set = shipped[s];
        struct tally_environment environment = {.timestamp_hz = 1000000000};
        struct tally_program *program = NULL;
        assert_int_equal(tally_program_new(set, &environment, &signal_layout, &program, NULL), 0);
        for (size_t i = 0; i < set->counter_count; i++) {
            const char *formula = set->counters[i].formula;
            char name[64], clocks[80];
            text.size = 0;
            assert_int_equal(tally_program_explain(program, i, NULL, append, &text, NULL), 0);
            while (infix_next_name(&formula, name, sizeof name))
                ROW(set->counters[i].line, strstr(text.bytes, name) != NULL, "%s in %s", name,
                    text.bytes);
            for (size_t k = 0; k < set->signal_count; k++) {
                snprintf(clocks, sizeof clocks, "clocks(%s)", set->signals[k].symbol);
                ROW(set->counters[i].line,
                    !strstr(set->counters[i].formula, clocks) || strstr(text.bytes, clocks),
                    "%s in %s", clocks, text.bytes);
            }
            ROW(set->counters[i].line,
                !strstr(text.bytes, "─ A0") && !strstr(text.bytes, "─ CLOCKS") &&
                    !strstr(text.bytes, "not in this"),
                "%s", text.bytes);
        }
        tally_program_free(program);
    }
    ROWS_DONE();
}

int test_pcounter_sets(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enough_counters), cmocka_unit_test(test_values),
        cmocka_unit_test(test_no_findings),     cmocka_unit_test(test_names_are_published),
        cmocka_unit_test(test_plans),           cmocka_unit_test(test_explanations),
    };
    return cmocka_run_group_tests_name("pcounter sets", tests, set_up, tear_down);
}
