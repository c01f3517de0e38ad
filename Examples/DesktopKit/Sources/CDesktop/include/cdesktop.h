// Parts of GTK and libdispatch that Swift cannot call: macros and variadic functions.
#pragma once

#include <adwaita.h>

// Set the name, the description, and the value (0 to 1) of a widget for assistive tools.
void desktop_set_label(GtkWidget *widget, const char *label);
void desktop_set_description(GtkWidget *widget, const char *description);
void desktop_set_value(GtkWidget *widget, double value, const char *text);

// Set or get a property of any object.
void desktop_set_bool(gpointer object, const char *property, gboolean value);
void desktop_set_int(gpointer object, const char *property, int value);
void desktop_set_double(gpointer object, const char *property, double value);
void desktop_set_string(gpointer object, const char *property, const char *value);
void desktop_set_object(gpointer object, const char *property, gpointer value);
gboolean desktop_get_bool(gpointer object, const char *property);

// Selects the catalogues of a domain in a directory, in the language of the environment. The other functions return translated
// texts from these catalogues.
void desktop_use_catalogues(const char *domain, const char *directory);
const char *desktop_translate(const char *text);
const char *desktop_translate_count(const char *one, const char *many, unsigned long count);

// Returns the file descriptor that becomes readable when the main queue of libdispatch has work, and runs that work.
// CoreFoundation's run loop uses the same functions.
int desktop_main_queue_descriptor(void);
void desktop_drain_main_queue(void);

// Makes the global executor of Swift use threads of GLib. Must be called before the first task.
void desktop_use_own_pool(void);
