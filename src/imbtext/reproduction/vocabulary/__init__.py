"""The paper's sections on vocabularies: 4.1 and 7."""
