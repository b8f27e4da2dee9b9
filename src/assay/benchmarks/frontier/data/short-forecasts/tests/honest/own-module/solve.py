"""Calls the method, which has a module of its own."""

import method

print("solving")
method.main()
print("solved")
