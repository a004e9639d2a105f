# bash completion for scree. Commands and options are those that the program's own help lists.
_scree() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} choice=()
  if ((COMP_CWORD == 1)); then
    choice=($(scree --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p') --help --version)
  elif [[ $command == help ]]; then
    choice=($(scree help 2>/dev/null | sed -n 's/^  \([a-z0-9]\{1,\}\) .*/\1/p'))
  elif [[ $word == -* ]]; then
    choice=($(scree "$command" --help 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u))
  fi
  ((${#choice[@]})) && COMPREPLY=($(compgen -W "${choice[*]}" -- "$word"))
} && complete -o default -F _scree scree
