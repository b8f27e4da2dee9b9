"""Programs that make inputs; they run with the challenges' Python, and Assay never imports them."""
