#include "cdesktop.h"

#include <libintl.h>
#include <locale.h>

extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

void desktop_use_catalogues(const char *domain, const char *directory) {
    // If the locale is missing, all texts stay in English, as in GTK.
    setlocale(LC_ALL, "");
    bindtextdomain(domain, directory);
    bind_textdomain_codeset(domain, "UTF-8");
    textdomain(domain);
}

const char *desktop_translate(const char *text) {
    // For the empty text, gettext returns the header of the catalogue.
    return *text ? gettext(text) : text;
}

const char *desktop_translate_count(const char *one, const char *many, unsigned long count) {
    return ngettext(one, many, count);
}

void desktop_set_label(GtkWidget *widget, const char *label) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

void desktop_set_description(GtkWidget *widget, const char *description) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

void desktop_set_value(GtkWidget *widget, double value, const char *text) {
    gtk_accessible_update_property(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, 1.0,
        GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, value, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

void desktop_set_bool(gpointer object, const char *property, gboolean value) {
    g_object_set(object, property, value, NULL);
}

void desktop_set_int(gpointer object, const char *property, int value) { g_object_set(object, property, value, NULL); }

void desktop_set_double(gpointer object, const char *property, double value) {
    g_object_set(object, property, value, NULL);
}

void desktop_set_string(gpointer object, const char *property, const char *value) {
    g_object_set(object, property, value, NULL);
}

void desktop_set_object(gpointer object, const char *property, gpointer value) {
    g_object_set(object, property, value, NULL);
}

gboolean desktop_get_bool(gpointer object, const char *property) {
    gboolean value = FALSE;
    g_object_get(object, property, &value, NULL);
    return value;
}

int desktop_main_queue_descriptor(void) { return _dispatch_get_main_queue_handle_4CF(); }

void desktop_drain_main_queue(void) { _dispatch_main_queue_callback_4CF(NULL); }
