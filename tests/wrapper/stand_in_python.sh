#!/bin/sh
# Answers as Python does to what the wrapper asks of it, and notes every question. Only the lock needs the real one.
# A test puts VERSION and ENSUREPIP in front, so that each copy keeps its own.
printf '%s\n' "$*" >>"$NOTES"
here=$(dirname "$0")
case "$*" in
  *'version_info[:2])'*) [ "$VERSION" != broken ] && printf '%s\n' "$VERSION" ;;
  *'import venv, ensurepip'*) [ "$ENSUREPIP" = yes ] || [ -e "$here/apt-installed" ] ;;
  *flock*) exec "$REAL_PYTHON" "$@" ;;
  *'-m venv '*)
    for last; do :; done
    mkdir -p "$last/bin"
    for name in python "python$VERSION"; do cp "$0" "$last/bin/$name"; done ;;
  *'-m pip --version'*) exit 0 ;;
  *'-m pip install'*)
    case "$*" in $PIP_FAILS) printf 'no route to the package index\n'; exit 1 ;; esac
    [ -z "$PIP_SLEEPS" ] || sleep "$PIP_SLEEPS" 9>&-
    for tool in premotor ruff mypy lint-imports; do
      printf '#!/bin/sh\nprintf "%%s\\n" "%s $*" >>"$NOTES"\n[ "$FAILS" != %s ] || exit 7\nprintf "%s: %%s\\n" "$*"\n' \
        "$tool" "$tool" "$tool" >"$here/$tool"
      chmod +x "$here/$tool"
    done ;;
  *'-m pytest'*) printf '3 passed in 0.01s\n'; [ "$FAILS" != pytest ] || exit 1 ;;
esac
