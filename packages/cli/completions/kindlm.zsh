#compdef kindlm
# Completion of kindlm for zsh. Put this into ~/.zshrc, after compinit: source <(kindlm completion zsh)

# The program that the typed command would run.
_kindlm_program() {
  local folder=$PWD
  case $1 in
    npx | bunx)
      while [[ ! -x $folder/node_modules/.bin/kindlm ]]; do
        [[ $folder == / ]] && return 1
        folder=${folder:h}
      done
      print -r -- $folder/node_modules/.bin/kindlm
      ;;
    */*) print -r -- ${~1} ;;
    *) whence -p -- $1 ;;
  esac
}

_kindlm() {
  local program line
  local -a lines texts shown
  program=$(_kindlm_program "${(Q)words[1]}") || return 1
  # Each line after the first is a candidate, a tab, and what it is. The first says what to do.
  lines=("${(@f)$("$program" __complete zsh "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  case ${lines[1]-} in
    files) compset -P '*='; _files; return ;;
    folders) _files -/; return ;;
    other) _default; return ;;
  esac
  for line in "${(@)lines[2,-1]}"; do
    texts+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done
  ((${#texts})) && compadd -l -d shown -- "${(@)texts}"
}

if [[ ${funcstack[1]-} == _kindlm ]]; then
  _kindlm "$@"
else
  compdef _kindlm kindlm
  ((${+_comps[npx]})) || compdef _kindlm npx
  ((${+_comps[bunx]})) || compdef _kindlm bunx
fi
