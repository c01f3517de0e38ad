#pragma once

#include <adwaita.h>
#include <gio/gunixfdlist.h>
#include <glib-unix.h>
