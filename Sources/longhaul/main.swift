print("longhaul")
