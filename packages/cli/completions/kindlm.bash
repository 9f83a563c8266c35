# Completion of kindlm for bash. Put this into ~/.bashrc: source <(kindlm completion bash)

# The program that the typed command would run.
_kindlm_program() {
  local folder=$PWD
  case $1 in
    npx | bunx)
      while [[ ! -x $folder/node_modules/.bin/kindlm ]]; do
        [[ $folder == */* ]] || return 1
        folder=${folder%/*}
      done
      printf '%s' "$folder/node_modules/.bin/kindlm"
      ;;
    */*) printf '%s' "${1/#\~\//$HOME/}" ;;
    *) type -P "$1" ;;
  esac
}

_kindlm() {
  local program line lines=()
  COMPREPLY=()
  program=$(_kindlm_program "$1") || return
  # Each line after the first is a candidate, quoted for bash. The first says what to do.
  while IFS= read -r line; do
    lines+=("$line")
  done < <("$program" __complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null </dev/null)
  case ${lines[0]-} in
    files | other) compopt -o default 2>/dev/null ;;
    folders) compopt -o dirnames 2>/dev/null ;;
  esac
  if ((${#lines[@]} > 1)); then COMPREPLY=("${lines[@]:1}"); fi
}

complete -F _kindlm kindlm
complete -p npx >/dev/null 2>&1 || complete -F _kindlm npx
complete -p bunx >/dev/null 2>&1 || complete -F _kindlm bunx
