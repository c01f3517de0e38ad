// Measures the frames of an app's window from inside, for LD_PRELOAD. From SIGUSR1 on, the window draws as often as its
// frame clock allows, as during a scroll. At SIGUSR2, the library prints two lines with times in microseconds.
//   work COUNT MEDIAN P95 MAX        from before-paint to after-paint of each frame
//   interval COUNT MEDIAN P95 MAX    from one frame to the next
#include <gtk/gtk.h>
#include <glib-unix.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = 100000 };
static gint64 work[CAPACITY], interval[CAPACITY];
static int frames, intervals;
static gint64 begin, last;
static GdkFrameClock *clock_of_window;

static void before(GdkFrameClock *clock, gpointer none) {
    begin = g_get_monotonic_time();
    if (last && intervals < CAPACITY) interval[intervals++] = begin - last;
    last = begin;
}

static void after(GdkFrameClock *clock, gpointer none) {
    if (begin && frames < CAPACITY) work[frames++] = g_get_monotonic_time() - begin;
}

static int by_size(const void *a, const void *b) {
    gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
    return (x > y) - (x < y);
}

static void print(const char *name, gint64 *values, int count) {
    qsort(values, count, sizeof *values, by_size);
    printf("%s %d %ld %ld %ld\n", name, count, values[count / 2], values[count * 95 / 100], values[count - 1]);
}

static gboolean start(gpointer none) {
    GListModel *windows = gtk_window_get_toplevels();
    GtkWidget *window = g_list_model_get_item(windows, 0);
    clock_of_window = gtk_widget_get_frame_clock(window);
    g_object_unref(window);
    g_signal_connect(clock_of_window, "before-paint", G_CALLBACK(before), NULL);
    g_signal_connect(clock_of_window, "after-paint", G_CALLBACK(after), NULL);
    gdk_frame_clock_begin_updating(clock_of_window);
    return G_SOURCE_CONTINUE;
}

static gboolean stop(gpointer none) {
    gdk_frame_clock_end_updating(clock_of_window);
    if (frames && intervals) {
        print("work", work, frames);
        print("interval", interval, intervals);
    }
    puts("done");
    fflush(stdout);
    return G_SOURCE_CONTINUE;
}

__attribute__((constructor)) static void prepare(void) {
    g_unix_signal_add(SIGUSR1, start, NULL);
    g_unix_signal_add(SIGUSR2, stop, NULL);
}
