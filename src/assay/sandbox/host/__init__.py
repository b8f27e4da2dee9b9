"""What sandboxes use of the host: control groups, the system's folders, scratch folders, descriptors."""
