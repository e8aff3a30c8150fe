"""The paper's LSTM table."""
