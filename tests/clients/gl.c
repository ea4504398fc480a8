/* SPDX-License-Identifier: MIT */
/*
 * An OpenGL client without a window, on the GPU's render node: draws with every performance query
 * and monitor, and with timer, occlusion and statistics queries. Prints one JSON object for each of
 * them in a line. Links EGL and GBM only; GL's functions come from eglGetProcAddress().
 *
 * Arguments: parts to run, of "renderer queries monitors timers draw render others"; all without
 * one.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <gbm.h>

#define SIZE     256 /* pixels of a side */
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- GL's functions -------------------------------------------------------------------------- */

#define FUNCTIONS(F)                                                                               \
    F(PFNGLCREATESHADERPROC, glCreateShader)                                                       \
    F(PFNGLSHADERSOURCEPROC, glShaderSource)                                                       \
    F(PFNGLCOMPILESHADERPROC, glCompileShader)                                                     \
    F(PFNGLCREATEPROGRAMPROC, glCreateProgram)                                                     \
    F(PFNGLATTACHSHADERPROC, glAttachShader)                                                       \
    F(PFNGLLINKPROGRAMPROC, glLinkProgram)                                                         \
    F(PFNGLGETPROGRAMIVPROC, glGetProgramiv)                                                       \
    F(PFNGLUSEPROGRAMPROC, glUseProgram)                                                           \
    F(PFNGLTRANSFORMFEEDBACKVARYINGSPROC, glTransformFeedbackVaryings)                             \
    F(PFNGLBEGINTRANSFORMFEEDBACKPROC, glBeginTransformFeedback)                                   \
    F(PFNGLENDTRANSFORMFEEDBACKPROC, glEndTransformFeedback)                                       \
    F(PFNGLGENTRANSFORMFEEDBACKSPROC, glGenTransformFeedbacks)                                     \
    F(PFNGLBINDTRANSFORMFEEDBACKPROC, glBindTransformFeedback)                                     \
    F(PFNGLDRAWTRANSFORMFEEDBACKPROC, glDrawTransformFeedback)                                     \
    F(PFNGLGENBUFFERSPROC, glGenBuffers)                                                           \
    F(PFNGLBINDBUFFERBASEPROC, glBindBufferBase)                                                   \
    F(PFNGLBUFFERDATAPROC, glBufferData)                                                           \
    F(PFNGLDISPATCHCOMPUTEPROC, glDispatchCompute)                                                 \
    F(PFNGLDISPATCHCOMPUTEINDIRECTPROC, glDispatchComputeIndirect)                                 \
    F(PFNGLDRAWARRAYSINDIRECTPROC, glDrawArraysIndirect)                                           \
    F(PFNGLBINDBUFFERPROC, glBindBuffer)                                                           \
    F(PFNGLGENVERTEXARRAYSPROC, glGenVertexArrays)                                                 \
    F(PFNGLBINDVERTEXARRAYPROC, glBindVertexArray)                                                 \
    F(PFNGLGENRENDERBUFFERSPROC, glGenRenderbuffers)                                               \
    F(PFNGLBINDRENDERBUFFERPROC, glBindRenderbuffer)                                               \
    F(PFNGLRENDERBUFFERSTORAGEPROC, glRenderbufferStorage)                                         \
    F(PFNGLGENFRAMEBUFFERSPROC, glGenFramebuffers)                                                 \
    F(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer)                                                 \
    F(PFNGLFRAMEBUFFERRENDERBUFFERPROC, glFramebufferRenderbuffer)                                 \
    F(PFNGLCHECKFRAMEBUFFERSTATUSPROC, glCheckFramebufferStatus)                                   \
    F(PFNGLGENQUERIESPROC, glGenQueries)                                                           \
    F(PFNGLDELETEQUERIESPROC, glDeleteQueries)                                                     \
    F(PFNGLBEGINQUERYPROC, glBeginQuery)                                                           \
    F(PFNGLENDQUERYPROC, glEndQuery)                                                               \
    F(PFNGLQUERYCOUNTERPROC, glQueryCounter)                                                       \
    F(PFNGLGETQUERYOBJECTUI64VPROC, glGetQueryObjectui64v)                                         \
    F(PFNGLGETFIRSTPERFQUERYIDINTELPROC, glGetFirstPerfQueryIdINTEL)                               \
    F(PFNGLGETNEXTPERFQUERYIDINTELPROC, glGetNextPerfQueryIdINTEL)                                 \
    F(PFNGLGETPERFQUERYINFOINTELPROC, glGetPerfQueryInfoINTEL)                                     \
    F(PFNGLGETPERFCOUNTERINFOINTELPROC, glGetPerfCounterInfoINTEL)                                 \
    F(PFNGLCREATEPERFQUERYINTELPROC, glCreatePerfQueryINTEL)                                       \
    F(PFNGLDELETEPERFQUERYINTELPROC, glDeletePerfQueryINTEL)                                       \
    F(PFNGLBEGINPERFQUERYINTELPROC, glBeginPerfQueryINTEL)                                         \
    F(PFNGLENDPERFQUERYINTELPROC, glEndPerfQueryINTEL)                                             \
    F(PFNGLGETPERFQUERYDATAINTELPROC, glGetPerfQueryDataINTEL)                                     \
    F(PFNGLGETPERFMONITORGROUPSAMDPROC, glGetPerfMonitorGroupsAMD)                                 \
    F(PFNGLGETPERFMONITORGROUPSTRINGAMDPROC, glGetPerfMonitorGroupStringAMD)                       \
    F(PFNGLGETPERFMONITORCOUNTERSAMDPROC, glGetPerfMonitorCountersAMD)                             \
    F(PFNGLGENPERFMONITORSAMDPROC, glGenPerfMonitorsAMD)                                           \
    F(PFNGLDELETEPERFMONITORSAMDPROC, glDeletePerfMonitorsAMD)                                     \
    F(PFNGLSELECTPERFMONITORCOUNTERSAMDPROC, glSelectPerfMonitorCountersAMD)                       \
    F(PFNGLBEGINPERFMONITORAMDPROC, glBeginPerfMonitorAMD)                                         \
    F(PFNGLENDPERFMONITORAMDPROC, glEndPerfMonitorAMD)                                             \
    F(PFNGLGETPERFMONITORCOUNTERDATAAMDPROC, glGetPerfMonitorCounterDataAMD)                       \
    F(PFNGLGETSTRINGIPROC, glGetStringi)                                                           \
    F(void (*)(GLenum, GLint, GLsizei), glDrawArrays)                                              \
    F(void (*)(GLbitfield), glClear)                                                               \
    F(void (*)(GLfloat, GLfloat, GLfloat, GLfloat), glClearColor)                                  \
    F(void (*)(GLint, GLint, GLsizei, GLsizei), glViewport)                                        \
    F(void (*)(void), glFinish)                                                                    \
    F(GLenum (*)(void), glGetError)                                                                \
    F(const GLubyte *(*)(GLenum), glGetString)                                                     \
    F(void (*)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *), glReadPixels)

static struct {
#define MEMBER(type, name) __typeof__(type) name;
    FUNCTIONS(MEMBER)
} gl;

static void load(void)
{
#define LOAD(type, name) gl.name = (__typeof__(gl.name))eglGetProcAddress(#name);
    FUNCTIONS(LOAD)
}

/* ---- helpers --------------------------------------------------------------------------------- */

__attribute__((noreturn)) static void stop(const char *what)
{
    fprintf(stderr, "gl: %s\n", what);
    exit(1);
}

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void start(void)
{
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    struct gbm_device *gbm = fd >= 0 ? gbm_create_device(fd) : NULL;
    if (!gbm)
        stop("GBM: no device");
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, gbm, NULL);
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 3,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 3,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_NONE};
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API))
        stop("EGL: no display");
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        stop("EGL: no context");
    load();
}

/* ---- drawing --------------------------------------------------------------------------------- */

static const char vertices[] = "#version 330\n"
                               "void main()\n"
                               "{\n"
                               "    vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                               "    gl_Position = vec4(4.0 * at - 1.0, 0.0, 1.0);\n"
                               "}\n";
static const char fragments[] = "#version 330\n"
                                "out vec4 color;\n"
                                "void main()\n"
                                "{\n"
                                "    color = vec4(gl_FragCoord.xy / 256.0, 0.0, 1.0);\n"
                                "}\n";

static void add_shader(GLuint program, GLenum kind, const char *text)
{
    GLuint shader = gl.glCreateShader(kind);
    gl.glShaderSource(shader, 1, &text, NULL);
    gl.glCompileShader(shader);
    gl.glAttachShader(program, shader);
}

static void link_program(GLuint program)
{
    GLint linked = 0;
    gl.glLinkProgram(program);
    gl.glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked)
        stop("GL: a program cannot be linked");
}

static void prepare(void)
{
    GLuint target, buffer, array, program = gl.glCreateProgram();
    add_shader(program, GL_VERTEX_SHADER, vertices);
    add_shader(program, GL_FRAGMENT_SHADER, fragments);
    link_program(program);
    gl.glGenRenderbuffers(1, &buffer);
    gl.glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    gl.glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    gl.glGenFramebuffers(1, &target);
    gl.glBindFramebuffer(GL_FRAMEBUFFER, target);
    gl.glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    if (gl.glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        stop("GL: no framebuffer");
    gl.glGenVertexArrays(1, &array);
    gl.glBindVertexArray(array);
    gl.glUseProgram(program);
    gl.glViewport(0, 0, SIZE, SIZE);
}

static void draw_triangles(void)
{
    for (unsigned i = 0; i < 8; i++)
        gl.glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw(void)
{
    gl.glClearColor(0.25f, 0.5f, 0.75f, 1.0f);
    gl.glClear(GL_COLOR_BUFFER_BIT);
    draw_triangles();
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void show_renderer(void)
{
    printf("{\"renderer\": \"%s\", \"vendor\": \"%s\", \"version\": \"%s\"}\n",
           (const char *)gl.glGetString(GL_RENDERER), (const char *)gl.glGetString(GL_VENDOR),
           (const char *)gl.glGetString(GL_VERSION));
}

static bool any(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return true;
    return false;
}

/* Ends a query, and returns the time until it has data. */
static double end_query(GLuint handle, GLuint bytes, uint8_t *data, GLuint *written)
{
    double from = now_ms();
    gl.glEndPerfQueryINTEL(handle);
    gl.glGetPerfQueryDataINTEL(handle, GL_PERFQUERY_WAIT_INTEL, (GLsizei)bytes, data, written);
    return now_ms() - from;
}

/* Runs a query of GL_INTEL_performance_query, and prints its bytes and how long its end took. */
static void run_query(GLuint id)
{
    char name[256] = "";
    GLuint bytes = 0, counters = 0, instances, flags, handle, written = 0;
    gl.glGetPerfQueryInfoINTEL(id, sizeof name, name, &bytes, &counters, &instances, &flags);
    uint8_t *data = calloc(1, bytes + 1);
    if (!data)
        stop("no memory");
    gl.glCreatePerfQueryINTEL(id, &handle);
    gl.glBeginPerfQueryINTEL(handle);
    draw();
    double ms = end_query(handle, bytes, data, &written);
    printf("{\"query\": \"%s\", \"counters\": %u, \"bytes\": %u, \"written\": %u, \"any\": %d, "
           "\"ms\": %.3f, \"error\": %u}\n",
           name, counters, bytes, written, any(data, bytes), ms, gl.glGetError());
    gl.glDeletePerfQueryINTEL(handle);
    free(data);
}

static void run_queries(void)
{
    GLuint id = 0, next = 0;
    gl.glGetFirstPerfQueryIdINTEL(&id);
    for (; id; id = next) {
        run_query(id);
        next = 0;
        gl.glGetNextPerfQueryIdINTEL(id, &next);
        gl.glGetError(); /* of the last one */
    }
}

static double value_of(GLuint type, const uint8_t *bytes)
{
    uint64_t whole;
    uint32_t half;
    float real;
    double wide;
    memcpy(&half, bytes, sizeof half);
    switch (type) {
    case GL_PERFQUERY_COUNTER_DATA_FLOAT_INTEL:
        memcpy(&real, bytes, sizeof real);
        return real;
    case GL_PERFQUERY_COUNTER_DATA_DOUBLE_INTEL:
        memcpy(&wide, bytes, sizeof wide);
        return wide;
    case GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL:
        memcpy(&whole, bytes, sizeof whole);
        return (double)whole;
    default:
        return half;
    }
}

static void show_counters(GLuint query, GLuint counters, const uint8_t *data)
{
    for (GLuint i = 1; i <= counters; i++) {
        char name[256] = "", text[1024] = "";
        GLuint offset = 0, bytes, kind, type = 0;
        GLuint64 max;
        gl.glGetPerfCounterInfoINTEL(query, i, sizeof name, name, sizeof text, text, &offset,
                                     &bytes, &kind, &type, &max);
        printf("{\"counter\": \"%s\", \"value\": %.17g}\n", name, value_of(type, data + offset));
    }
}

/* Triangles alone, counted by the basic metric set, and all of its counters. Waits as programs do.
 */
static void run_render(void)
{
    char name[256] = "";
    GLuint id = 0, next, bytes = 0, counters = 0, instances, flags, handle, written = 0;
    gl.glGetFirstPerfQueryIdINTEL(&id);
    for (; id; id = next) {
        gl.glGetPerfQueryInfoINTEL(id, sizeof name, name, &bytes, &counters, &instances, &flags);
        if (strstr(name, "Render Metrics Basic"))
            break;
        next = 0;
        gl.glGetNextPerfQueryIdINTEL(id, &next);
    }
    uint8_t *data = calloc(1, bytes + 1);
    if (!id || !data)
        stop("no query of the basic metric set");
    gl.glCreatePerfQueryINTEL(id, &handle);
    gl.glBeginPerfQueryINTEL(handle);
    draw_triangles();
    double ms = end_query(handle, bytes, data, &written);
    printf("{\"query\": \"%s\", \"bytes\": %u, \"written\": %u, \"ms\": %.3f, \"error\": %u}\n",
           name, bytes, written, ms, gl.glGetError());
    show_counters(id, counters, data);
    gl.glDeletePerfQueryINTEL(handle);
    free(data);
}

static void run_draw(void)
{
    GLuint query;
    GLuint64 samples = 0;
    gl.glGenQueries(1, &query);
    gl.glBeginQuery(GL_SAMPLES_PASSED, query);
    draw_triangles();
    gl.glEndQuery(GL_SAMPLES_PASSED);
    gl.glGetQueryObjectui64v(query, GL_QUERY_RESULT, &samples);
    printf("{\"samples\": %" PRIu64 "}\n", (uint64_t)samples);
    gl.glDeleteQueries(1, &query);
}

/* Runs a monitor with the first counters of a group, as many as can be active. */
static void run_monitor(GLuint group)
{
    char name[256] = "";
    GLuint counters[256], monitor, ready = 0, bytes = 0;
    GLint count = 0, active = 0;
    GLsizei written = 0, length = 0;
    gl.glGetPerfMonitorGroupStringAMD(group, sizeof name, &length, name);
    gl.glGetPerfMonitorCountersAMD(group, &count, &active, COUNT(counters), counters);
    gl.glGenPerfMonitorsAMD(1, &monitor);
    int selected = count < active ? count : active;
    if (!selected) { /* such as the query of raw reports, which has no counters */
        gl.glDeletePerfMonitorsAMD(1, &monitor);
        return;
    }
    gl.glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, selected, counters);
    gl.glBeginPerfMonitorAMD(monitor);
    draw();
    gl.glEndPerfMonitorAMD(monitor);
    gl.glFinish();
    double from = now_ms();
    while (!ready && now_ms() - from < 20000)
        gl.glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD, sizeof ready,
                                          &ready, &written);
    double ms = now_ms() - from;
    gl.glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_SIZE_AMD, sizeof bytes, &bytes,
                                      &written);
    GLuint *data = calloc(1, bytes + 4);
    if (!data)
        stop("no memory");
    gl.glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, (GLsizei)bytes, data,
                                      &written);
    printf("{\"monitor\": \"%s\", \"counters\": %d, \"selected\": %d, \"ready\": %u, "
           "\"bytes\": %u, \"written\": %d, \"ms\": %.3f, \"error\": %u}\n",
           name, count, selected, ready, bytes, (int)written, ms, gl.glGetError());
    gl.glDeletePerfMonitorsAMD(1, &monitor);
    free(data);
}

static void run_monitors(void)
{
    GLuint groups[256];
    GLint count = 0;
    gl.glGetPerfMonitorGroupsAMD(&count, COUNT(groups), groups);
    for (GLint i = 0; i < count; i++)
        run_monitor(groups[i]);
}

/* Queries of time, samples and primitives around some draws, and the color of a clear. */
static void run_timers(void)
{
    static const struct {
        const char *name;
        GLenum target;
    } rows[] = {{"time_elapsed", GL_TIME_ELAPSED},
                {"samples_passed", GL_SAMPLES_PASSED},
                {"primitives_generated", GL_PRIMITIVES_GENERATED},
                {"vertices_submitted", GL_VERTICES_SUBMITTED_ARB},
                {"vs_invocations", GL_VERTEX_SHADER_INVOCATIONS_ARB},
                {"clipping_input", GL_CLIPPING_INPUT_PRIMITIVES_ARB},
                {"fs_invocations", GL_FRAGMENT_SHADER_INVOCATIONS_ARB}};
    GLuint query, stamps[2];
    GLuint64 value, from, to;
    for (size_t i = 0; i < COUNT(rows); i++) {
        gl.glGenQueries(1, &query);
        gl.glBeginQuery(rows[i].target, query);
        draw();
        gl.glEndQuery(rows[i].target);
        gl.glGetQueryObjectui64v(query, GL_QUERY_RESULT, &value);
        printf("{\"timer\": \"%s\", \"value\": %" PRIu64 ", \"error\": %u}\n", rows[i].name,
               (uint64_t)value, gl.glGetError());
        gl.glDeleteQueries(1, &query);
    }
    gl.glGenQueries(2, stamps);
    gl.glQueryCounter(stamps[0], GL_TIMESTAMP);
    draw();
    gl.glQueryCounter(stamps[1], GL_TIMESTAMP);
    gl.glGetQueryObjectui64v(stamps[0], GL_QUERY_RESULT, &from);
    gl.glGetQueryObjectui64v(stamps[1], GL_QUERY_RESULT, &to);
    printf("{\"timer\": \"timestamps\", \"value\": %" PRIu64 ", \"error\": %u}\n",
           (uint64_t)(to - from), gl.glGetError());
    uint8_t pixel[4] = {0};
    gl.glReadPixels(3, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    printf("{\"pixel\": [%u, %u, %u, %u], \"error\": %u}\n", pixel[0], pixel[1], pixel[2], pixel[3],
           gl.glGetError());
}

static void begin_query(GLenum target, GLuint *query)
{
    gl.glGenQueries(1, query);
    gl.glBeginQuery(target, *query);
}

static void end_and_print(GLenum target, GLuint query, const char *name)
{
    GLuint64 value = 0;
    gl.glEndQuery(target);
    gl.glGetQueryObjectui64v(query, GL_QUERY_RESULT, &value);
    printf("{\"timer\": \"%s\", \"value\": %" PRIu64 ", \"error\": %u}\n", name, (uint64_t)value,
           gl.glGetError());
    gl.glDeleteQueries(1, &query);
}

/* Creates a buffer that has the parameters of a command. */
static void bind_parameters(GLenum target, const GLuint *parameters, GLsizeiptr bytes)
{
    GLuint buffer;
    gl.glGenBuffers(1, &buffer);
    gl.glBindBuffer(target, buffer);
    gl.glBufferData(target, bytes, parameters, GL_STATIC_DRAW);
}

/* Transform feedback of the triangles to a buffer with room for six, and a draw of what it has. */
static void run_feedback(void)
{
    static const char *const captured[] = {"gl_Position"};
    GLuint feedback, buffer, query, program = gl.glCreateProgram();
    add_shader(program, GL_VERTEX_SHADER, vertices);
    add_shader(program, GL_FRAGMENT_SHADER, fragments);
    gl.glTransformFeedbackVaryings(program, 1, captured, GL_INTERLEAVED_ATTRIBS);
    link_program(program);
    gl.glUseProgram(program);
    gl.glGenTransformFeedbacks(1, &feedback);
    gl.glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, feedback);
    gl.glGenBuffers(1, &buffer);
    gl.glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    gl.glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 6L * 3 * 16, NULL, GL_STATIC_READ);
    begin_query(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, &query);
    gl.glBeginTransformFeedback(GL_TRIANGLES);
    draw_triangles();
    gl.glEndTransformFeedback();
    end_and_print(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query, "feedback_primitives");
    begin_query(GL_VERTICES_SUBMITTED_ARB, &query);
    gl.glDrawTransformFeedback(GL_TRIANGLES, feedback);
    end_and_print(GL_VERTICES_SUBMITTED_ARB, query, "feedback_vertices");
    gl.glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
}

/* Feedback; a compute shader with 64 groups of 64 invocations; draws
 * and dispatches whose parameters the GPU loads from memory. */
static void run_others(void)
{
    static const char compute[] = "#version 430\n"
                                  "layout(local_size_x = 64) in;\n"
                                  "void main()\n"
                                  "{\n"
                                  "}\n";
    GLuint query, program;
    run_feedback();
    static const GLuint instances[] = {3, 5, 0, 0}; /* vertices, instances, first, base */
    bind_parameters(GL_DRAW_INDIRECT_BUFFER, instances, sizeof instances);
    begin_query(GL_VERTEX_SHADER_INVOCATIONS_ARB, &query);
    gl.glDrawArraysIndirect(GL_TRIANGLES, NULL);
    end_and_print(GL_VERTEX_SHADER_INVOCATIONS_ARB, query, "indirect_vertices");

    program = gl.glCreateProgram();
    add_shader(program, GL_COMPUTE_SHADER, compute);
    link_program(program);
    gl.glUseProgram(program);
    begin_query(GL_COMPUTE_SHADER_INVOCATIONS_ARB, &query);
    gl.glDispatchCompute(64, 1, 1);
    end_and_print(GL_COMPUTE_SHADER_INVOCATIONS_ARB, query, "compute_invocations");

    static const GLuint groups[] = {2, 3, 4};
    bind_parameters(GL_DISPATCH_INDIRECT_BUFFER, groups, sizeof groups);
    begin_query(GL_COMPUTE_SHADER_INVOCATIONS_ARB, &query);
    gl.glDispatchComputeIndirect(0);
    end_and_print(GL_COMPUTE_SHADER_INVOCATIONS_ARB, query, "indirect_invocations");
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"renderer", show_renderer}, {"queries", run_queries}, {"monitors", run_monitors},
                 {"timers", run_timers},      {"draw", run_draw},       {"render", run_render},
                 {"others", run_others}};
    setvbuf(stdout, NULL, _IOLBF, 0);
    start();
    prepare();
    for (size_t i = 0; i < COUNT(parts); i++)
        for (int k = count > 1; k < count; k++) /* arguments[0]: all */
            if (count == 1 || !strcmp(arguments[k], parts[i].name)) {
                parts[i].run();
                fflush(stdout);
                if (gl.glGetError())
                    stop(parts[i].name);
                break;
            }
    return 0;
}
