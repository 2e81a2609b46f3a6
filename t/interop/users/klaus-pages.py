# SPDX-License-Identifier: GPL-2.0-only
"""
Usage: klaus-pages.py REPOSITORY...
Reads addresses from its input, a line each, and writes what klaus answers, a line of JSON each.
"""
import json
import sys

import klaus
from klaus import ctagsutils

tags = "none"
try:
    import ctags   # noqa: F401
    tags = "ALL" if ctagsutils.check_have_compatible_ctags() else "none"
except (ImportError, OSError):
    pass
app = klaus.make_app(sys.argv[1:], "Sample", ctags_policy=tags)
app.testing = app.config["PROPAGATE_EXCEPTIONS"] = True
client = app.test_client()
for line in sys.stdin:
    try:
        answer = client.get(line.rstrip("\n"))
        data = answer.data.decode(errors="replace") if "text" in answer.content_type else answer.data.hex()
        text = "%s %s\n%s" % (answer.status, answer.content_type, data)
    except Exception as error:   # pylint: disable=broad-except
        text = "%s: %s" % (type(error).__name__, error)
    print(json.dumps(text), flush=True)
