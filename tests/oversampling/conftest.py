import sys
from pathlib import Path

# The test modules share the server beside them.
sys.path.insert(0, str(Path(__file__).parent))
