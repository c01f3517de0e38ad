// Prints what the windows of an app show, for LD_PRELOAD, at each SIGUSR1: a line for each window, button, label, image,
// switch, and chart, and then "end".
//   NUMBER PARENT KIND X Y WIDTH HEIGHT ICON TEXT TOOLTIP NAME     separated by tabs
// PARENT is the number of the button that contains the widget, or of its window. The position is relative to the window,
// and excludes parts that are scrolled out of view. NAME is the name that assistive tools read.
#include <gtk/gtk.h>
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>

static int count;

static const char *icon_of(GtkWidget *widget) {
    if (GTK_IS_IMAGE(widget)) return gtk_image_get_icon_name(GTK_IMAGE(widget));
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        const char *icon = gtk_widget_get_visible(child) ? icon_of(child) : NULL;
        if (icon) return icon;
    }
    return NULL;
}

static const char *text_of(GtkWidget *widget) {
    if (GTK_IS_LABEL(widget)) return gtk_label_get_text(GTK_LABEL(widget));
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        const char *text = gtk_widget_get_visible(child) ? text_of(child) : NULL;
        if (text) return text;
    }
    return NULL;
}

// Replaces the separators of lines and fields in a text.
static char *plain(const char *text) { return g_strdelimit(g_strdup(text ? text : ""), "\t\n", ' '); }

// GTK's check returns the actual value of a property if the expected value differs.
static char *name_of(GtkWidget *widget) {
    char *found = gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, "?");
    char *name = plain(found);
    g_free(found);
    return name;
}

static void print(GtkWidget *widget, int parent, const graphene_rect_t *place, const char *kind) {
    char *name = name_of(widget);
    const char *icon = icon_of(widget);
    char *text = plain(text_of(widget)), *tooltip = plain(gtk_widget_get_tooltip_text(widget));
    printf("%d\t%d\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", count, parent, kind, (int)place->origin.x,
           (int)place->origin.y, (int)place->size.width, (int)place->size.height, icon ? icon : "", text, tooltip, name);
    g_free(name);
    g_free(text);
    g_free(tooltip);
}

static const char *kind_of(GtkWidget *widget) {
    if (GTK_IS_BUTTON(widget) || GTK_IS_MENU_BUTTON(widget)) return "button";
    if (GTK_IS_LABEL(widget)) return strlen(gtk_label_get_text(GTK_LABEL(widget))) ? "label" : NULL;
    if (GTK_IS_IMAGE(widget)) return gtk_image_get_storage_type(GTK_IMAGE(widget)) == GTK_IMAGE_EMPTY ? NULL : "image";
    if (GTK_IS_SWITCH(widget)) return "switch";
    if (GTK_IS_PROGRESS_BAR(widget)) return "bar";
    // The ring of a button surrounds an icon.
    if (GTK_IS_DRAWING_AREA(widget)) return gtk_widget_get_ancestor(widget, GTK_TYPE_BUTTON) ? NULL : "chart";
    return NULL;
}

static void walk(GtkWidget *widget, GtkWidget *window, int parent, graphene_rect_t clip) {
    if (!gtk_widget_get_mapped(widget)) return;
    graphene_rect_t place, seen;
    if (!gtk_widget_compute_bounds(widget, window, &place)) return;
    if (!graphene_rect_intersection(&place, &clip, &seen)) return;
    if (GTK_IS_SCROLLED_WINDOW(widget)) clip = seen;
    const char *kind = kind_of(widget);
    if (kind) {
        count++;
        print(widget, parent, &seen, kind);
        if (!strcmp(kind, "button")) parent = count;
        if (!strcmp(kind, "switch")) return;
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child))
        if (!GTK_IS_NATIVE(child)) walk(child, window, parent, clip);
}

static gboolean tell(gpointer none) {
    GListModel *windows = gtk_window_get_toplevels();
    for (guint index = 0; index < g_list_model_get_n_items(windows); index++) {
        GtkWidget *window = g_list_model_get_item(windows, index);
        graphene_rect_t place = GRAPHENE_RECT_INIT(0, 0, gtk_widget_get_width(window), gtk_widget_get_height(window));
        if (gtk_widget_get_mapped(window)) {
            count++;
            printf("%d\t0\twindow\t0\t0\t%d\t%d\t\t%s\t\t\n", count, (int)place.size.width, (int)place.size.height,
                   gtk_window_get_title(GTK_WINDOW(window)) ? gtk_window_get_title(GTK_WINDOW(window)) : "");
            walk(window, window, count, place);
        }
        g_object_unref(window);
    }
    puts("end");
    fflush(stdout);
    return G_SOURCE_CONTINUE;
}

__attribute__((constructor)) static void prepare(void) { g_unix_signal_add(SIGUSR1, tell, NULL); }
