"""The parts of the host that sandboxes use: control groups, system folders, scratch folders, descriptors."""
