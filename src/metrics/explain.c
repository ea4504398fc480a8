/* SPDX-License-Identifier: MIT */
/* Draws an equation as a tree, with the value of each node for one delta. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/escape.h"
#include "metrics/program.h"

/* Maximum depth that is drawn. Equations of IGT GPU Tools have less than twenty levels. */
#define DEPTH_MAX 200

struct drawing {
    const struct tally_program *program;
    const uint64_t *deltas;
    const union tally_value *counters; /* values of all counters of the set */
    bool *drawn;                       /* counters that have been drawn; they are not repeated */
    struct buffer prefix;              /* vertical lines at the left of the current line */
    void (*write)(void *closure, const char *text);
    void *closure;
};

static void write_value(struct drawing *drawing, union tally_value value, uint8_t type)
{
    char text[48];
    if (!drawing->deltas)
        return;
    if (type == TALLY_DOUBLE && isnan(value.f))
        snprintf(text, sizeof text, " is not defined");
    else if (type == TALLY_DOUBLE)
        snprintf(text, sizeof text, " = %.6f", value.f);
    else
        snprintf(text, sizeof text, " = %" PRIu64, value.u);
    drawing->write(drawing->closure, text);
}

/* Writes the value of a node. The result of an equation that divides by 0 is not defined. */
static void write_result(struct drawing *drawing, const struct equation *equation,
                         const union tally_value *values, uint16_t at)
{
    bool undefined = drawing->deltas && at + 1 == equation->count &&
                     !equation_is_defined(equation, values, drawing->program->defined);
    if (undefined)
        write_value(drawing, undefined_value(TALLY_DOUBLE), TALLY_DOUBLE);
    else
        write_value(drawing, values[at], equation->nodes[at].type);
}

/* Writes a READ of an NVIDIA set: the signal, or its clocks. */
static void write_signal(struct drawing *drawing, const struct node *node)
{
    const struct tally_metric_signal *signal = &drawing->program->set->signals[node->index];
    char text[160];
    snprintf(text, sizeof text, node->source == SOURCE_CLOCKS ? "clocks(%.120s)" : "%.120s",
             signal->symbol);
    escape_in_place(text, sizeof text);
    drawing->write(drawing->closure, text);
}

/* Writes a node's operand or operator. */
static void write_label(struct drawing *drawing, const struct node *node)
{
    char text[160];
    if (node->op == OP_READ && (node->source == SOURCE_A || node->source == SOURCE_CLOCKS) &&
        node->index < drawing->program->set->signal_count) {
        write_signal(drawing, node);
        return;
    }
    switch ((enum op)node->op) {
    case OP_NUMBER_U:
        snprintf(text, sizeof text, "%" PRIu64, node->number.u);
        break;
    case OP_NUMBER_F:
        snprintf(text, sizeof text, "%g", node->number.f);
        break;
    case OP_READ:
        if (node->source == SOURCE_GPU_TIME || node->source == SOURCE_GPU_CLOCK)
            snprintf(text, sizeof text, "%s", source_names[node->source]);
        else
            snprintf(text, sizeof text, "%s%" PRIu32, source_names[node->source], node->index);
        break;
    case OP_VARIABLE:
        snprintf(text, sizeof text, "%s", node->variable);
        break;
    case OP_COUNTER:
        snprintf(text, sizeof text, "$%.120s", drawing->program->set->counters[node->index].symbol);
        break;
    default:
        snprintf(text, sizeof text, "%s", op_names[node->op]);
    }
    escape_in_place(text, sizeof text);
    drawing->write(drawing->closure, text);
}

static void draw_equation(struct drawing *drawing, uint32_t counter, unsigned depth);

static void draw_node(struct drawing *drawing, const struct equation *equation,
                      const union tally_value *values, uint16_t at, unsigned depth, bool last);

static void draw_children(struct drawing *drawing, const struct equation *equation,
                          const union tally_value *values, const struct node *node, unsigned depth,
                          bool last)
{
    size_t size = drawing->prefix.size;
    if (depth)
        buffer_text(&drawing->prefix, last ? "   " : "│  ");
    if (node->op == OP_COUNTER)
        draw_equation(drawing, node->index, depth + 1);
    if (node->op >= OP_UADD) {
        draw_node(drawing, equation, values, node->left, depth + 1, false);
        draw_node(drawing, equation, values, node->right, depth + 1, true);
    }
    drawing->prefix.size = size;
}

static void draw_node(struct drawing *drawing, const struct equation *equation,
                      const union tally_value *values, uint16_t at, unsigned depth, bool last)
{
    const struct node *node = &equation->nodes[at];
    buffer_char(&drawing->prefix, '\0');
    if (drawing->prefix.broken)
        return;
    drawing->write(drawing->closure, drawing->prefix.bytes);
    drawing->prefix.size--;
    if (depth)
        drawing->write(drawing->closure, last ? "└─ " : "├─ ");
    write_label(drawing, node);
    if (node->op != OP_NUMBER_U && node->op != OP_NUMBER_F)
        write_result(drawing, equation, values, at);
    if (drawing->deltas && is_division_by_0(equation, values, node))
        drawing->write(drawing->closure, "  (a division by 0)");
    if (node->op == OP_READ && read_slot(drawing->program->layout, node) < 0)
        drawing->write(drawing->closure, "  (not in this report layout)");
    bool repeated = node->op == OP_COUNTER && drawing->drawn[node->index];
    if (repeated)
        drawing->write(drawing->closure, "  (above)");
    drawing->write(drawing->closure, "\n");
    if (depth >= DEPTH_MAX)
        drawing->write(drawing->closure, "...\n");
    else if (!repeated)
        draw_children(drawing, equation, values, node, depth, last);
}

static void draw_equation(struct drawing *drawing, uint32_t counter, unsigned depth)
{
    const struct equation *equation = &drawing->program->equations[counter].value;
    union tally_value *values = calloc(equation->count, sizeof *values);
    drawing->drawn[counter] = true;
    if (!values)
        return;
    equation_evaluate(equation, &drawing->program->environment, drawing->program->layout,
                      drawing->deltas, drawing->counters, values);
    draw_node(drawing, equation, values, (uint16_t)(equation->count - 1), depth, true);
    free(values);
}

int tally_program_explain(const struct tally_program *program, size_t index, const uint64_t *deltas,
                          void (*write)(void *closure, const char *text), void *closure,
                          struct tally_error *error)
{
    size_t count = program->set->counter_count;
    struct drawing drawing = {
        .program = program,
        .deltas = deltas,
        .counters = deltas ? program_evaluate(program, deltas) : NULL,
        .drawn = calloc(count + 1, sizeof *drawing.drawn),
        .write = write,
        .closure = closure,
    };
    int result = 0;
    if (!drawing.drawn) {
        result = fail_memory(error, "an explanation");
    } else {
        draw_equation(&drawing, (uint32_t)index, 0);
        if (drawing.prefix.broken)
            result = fail_memory(error, "an explanation");
    }
    buffer_fini(&drawing.prefix);
    free(drawing.drawn);
    return result;
}
