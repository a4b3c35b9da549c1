"""`python -m arss` is the command line."""

import sys

from arss._command import main

sys.exit(main())
