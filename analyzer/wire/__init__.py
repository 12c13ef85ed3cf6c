"""Primitives of wire formats that know no protocol: Huffman, varints, the cursor that explains what it reads."""
