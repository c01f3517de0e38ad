// What Swift cannot call in GTK and libdispatch: macros and functions with variable arguments.
#pragma once

#include <adwaita.h>

// The name, the description and the value (0 to 1) that assistive tools give for a widget.
void desktop_set_label(GtkWidget *widget, const char *label);
void desktop_set_description(GtkWidget *widget, const char *description);
void desktop_set_value(GtkWidget *widget, double value, const char *text);

// Properties of any object.
void desktop_set_bool(gpointer object, const char *property, gboolean value);
void desktop_set_int(gpointer object, const char *property, int value);
void desktop_set_double(gpointer object, const char *property, double value);
void desktop_set_string(gpointer object, const char *property, const char *value);
void desktop_set_object(gpointer object, const char *property, gpointer value);
gboolean desktop_get_bool(gpointer object, const char *property);

// Has texts come from the catalogues of a domain in a directory, in the language of the environment; and such texts.
void desktop_use_catalogues(const char *domain, const char *directory);
const char *desktop_translate(const char *text);
const char *desktop_translate_count(const char *one, const char *many, unsigned long count);

// The file descriptor that is readable when the main queue of libdispatch has work, and what does that work. They are what
// CoreFoundation's run loop is built on.
int desktop_main_queue_descriptor(void);
void desktop_drain_main_queue(void);

// From now on, what is on no actor of its own runs on threads of GLib. Call it before the first task.
void desktop_use_own_pool(void);
