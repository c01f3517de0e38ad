print("longhauld")
