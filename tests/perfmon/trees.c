/* SPDX-License-Identifier: MIT */
#include "perfmon/trees.h"

#include <stdio.h>
#include <string.h>

unsigned tree_below(uint64_t *seed, unsigned limit)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) % limit);
}

/* The arguments that a tree has so far: signals now and one clock ago. */
struct budget {
    const struct tree_options *options;
    uint8_t signals[TREE_LEAVES];
    bool delayed[TREE_LEAVES];
    unsigned count, delays, max;
};

static bool take(struct budget *budget, uint8_t signal, bool delayed)
{
    for (unsigned i = 0; i < budget->count; i++)
        if (budget->signals[i] == signal && budget->delayed[i] == delayed)
            return true;
    if (budget->count == budget->max || (delayed && budget->delays == 2))
        return false;
    budget->signals[budget->count] = signal;
    budget->delayed[budget->count++] = delayed;
    budget->delays += delayed;
    return true;
}

static unsigned add(struct tree *tree, enum tree_kind kind, uint8_t signal, unsigned left,
                    unsigned right)
{
    tree->nodes[tree->count] = (struct tree_node){kind, signal, left, right};
    return tree->count++;
}

static unsigned random_leaf(struct tree *tree, struct budget *budget, uint64_t *seed)
{
    const struct tree_options *options = budget->options;
    for (unsigned tries = 0; tries < 8; tries++) {
        struct budget copy = *budget;
        uint8_t signal = options->signals[tree_below(seed, options->signal_count)];
        enum tree_kind kind = TREE_SIGNAL;
        if (options->delays && !tree_below(seed, 4))
            kind = TREE_LAST + tree_below(seed, 3);
        bool now = kind == TREE_LAST || take(&copy, signal, false);
        if (!now || (kind != TREE_SIGNAL && !take(&copy, signal, true)))
            continue;
        *budget = copy;
        return add(tree, kind, signal, 0, 0);
    }
    if (budget->count && !budget->delayed[0])
        return add(tree, TREE_SIGNAL, budget->signals[0], 0, 0);
    return add(tree, TREE_ONE, 0, 0, 0);
}

static unsigned random_node(struct tree *tree, struct budget *budget, unsigned depth,
                            uint64_t *seed)
{
    if (!depth || tree->count + 8 > TREE_NODES || !tree_below(seed, 3))
        return random_leaf(tree, budget, seed);
    if (!tree_below(seed, 3)) {
        unsigned inner = random_node(tree, budget, depth - 1, seed);
        return add(tree, TREE_NOT, 0, inner, 0);
    }
    unsigned left = random_node(tree, budget, depth - 1, seed);
    unsigned right = random_node(tree, budget, depth - 1, seed);
    return add(tree, TREE_AND + tree_below(seed, 3), 0, left, right);
}

/* ---- text ------------------------------------------------------------------------------------ */

struct writer {
    const struct tree *tree;
    char *text;
    size_t used;
    uint64_t *seed;
};

static void put(struct writer *writer, const char *text)
{
    size_t size = strlen(text);
    if (writer->used + size < TREE_TEXT)
        memcpy(writer->text + writer->used, text, size + 1);
    writer->used += size;
}

static void put_signal(struct writer *writer, uint8_t signal)
{
    char text[8];
    snprintf(text, sizeof text, "0x%02x", signal);
    put(writer, text);
}

/* Parentheses everywhere, so that the text does not depend on precedence; test_expression.c has
 * rows for that. */
static void put_node(struct writer *writer, unsigned index)
{
    static const char *const operators[][2] = {{" & ", " && "}, {" | ", "||"}, {"^", " ^ "}};
    static const char *const calls[] = {"last(", "rise(", "fall("};
    const struct tree_node *node = &writer->tree->nodes[index];
    switch (node->kind) {
    case TREE_SIGNAL:
        put_signal(writer, node->signal);
        break;
    case TREE_ONE:
        put(writer, "1");
        break;
    case TREE_LAST:
    case TREE_RISE:
    case TREE_FALL:
        put(writer, calls[node->kind - TREE_LAST]);
        put_signal(writer, node->signal);
        put(writer, ")");
        break;
    case TREE_NOT:
        put(writer, "!");
        put_node(writer, node->left);
        break;
    default:
        put(writer, "(");
        put_node(writer, node->left);
        put(writer, operators[node->kind - TREE_AND][tree_below(writer->seed, 2)]);
        put_node(writer, node->right);
        put(writer, ")");
    }
}

void tree_random(struct tree *tree, const struct tree_options *options, uint64_t *seed)
{
    struct budget budget = {.options = options, .max = TREE_LEAVES};
    struct writer writer = {.tree = tree, .text = tree->text, .seed = seed};
    bool gated = true;
    memset(tree, 0, sizeof *tree);
    if (options->max_bits && !tree_below(seed, 3)) {
        tree->bit_count = 2 + tree_below(seed, options->max_bits - 1);
        if (!options->zero)
            tree->bit_count = options->max_bits > 4 && tree_below(seed, 2) ? 6 : 4;
        for (unsigned i = 0; i < tree->bit_count; i++)
            tree->bits[i] = options->signals[tree_below(seed, options->signal_count)];
        if (tree->bit_count > 4)
            budget.max = options->max_gate;
        gated = tree_below(seed, 2);
    }
    tree->root = gated ? random_node(tree, &budget, 3, seed) : add(tree, TREE_ONE, 0, 0, 0);
    if (options->domain >= 0) {
        char prefix[16];
        snprintf(prefix, sizeof prefix, "%d:", options->domain);
        put(&writer, prefix);
    }
    for (unsigned i = 0; i < tree->bit_count; i++) {
        put(&writer, i ? ", " : "sum(");
        put_signal(&writer, tree->bits[i]);
    }
    if (tree->bit_count)
        put(&writer, gated ? ") if " : ")");
    if (gated || !tree->bit_count)
        put_node(&writer, tree->root);
}

/* ---- meaning --------------------------------------------------------------------------------- */

static bool node_value(const struct tree *tree, unsigned index, const bool *now, const bool *before)
{
    const struct tree_node *node = &tree->nodes[index];
    bool left, right;
    switch (node->kind) {
    case TREE_SIGNAL:
        return now[node->signal];
    case TREE_LAST:
        return before[node->signal];
    case TREE_RISE:
        return now[node->signal] && !before[node->signal];
    case TREE_FALL:
        return !now[node->signal] && before[node->signal];
    case TREE_ONE:
        return true;
    default:
        break;
    }
    left = node_value(tree, node->left, now, before);
    if (node->kind == TREE_NOT)
        return !left;
    right = node_value(tree, node->right, now, before);
    return node->kind == TREE_AND  ? left && right
           : node->kind == TREE_OR ? left || right
                                   : left != right;
}

unsigned tree_value(const struct tree *tree, const bool now[256], const bool before[256])
{
    unsigned sum = 0;
    if (!node_value(tree, tree->root, now, before))
        return 0;
    for (unsigned i = 0; i < tree->bit_count; i++)
        sum += (unsigned)now[tree->bits[i]] << i;
    return tree->bit_count ? sum : 1;
}
