// The completion script for bash, 3.2 (macOS) and later.

import type { Offer, OfferedCommand, Value } from "./table.ts";
import { quote } from "./quote.ts";

export function renderBash({ firstWords, helpWords, groups, commands }: Offer): string {
  const seconds = Object.entries(groups).map(
    ([group, words]) => `      ${quote(group)}) _sluice_offer ${quote(wordsOf(words))}; return ;;`,
  );
  return `# Completion of sluice for bash. To load it in every shell, add to ~/.bashrc:
#   source <(sluice completion bash)

# Offers those of the given words that begin with the current one.
_sluice_offer() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

# Offers files, or with -d folders only.
_sluice_files() {
  local kind=default IFS=$'\\n'
  [[ $1 == -d ]] && kind=dirnames
  COMPREPLY=()
  # The completion of the shell itself also quotes the names; bash 3.2 has no compopt.
  compopt -o "$kind" 2>/dev/null || COMPREPLY=($(compgen "$1" -- "$current"))
}

_sluice() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  local name=\${COMP_WORDS[1]}
  # Bash splits --option=value into three words.
  if [[ $current == '=' ]]; then
    current=
  elif [[ $before == '=' ]]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _sluice_offer ${quote(`${wordsOf(firstWords)} -h --help -V --version`)}
    return
  fi
  if [[ $name == help ]]; then
    if ((COMP_CWORD == 2)); then
      _sluice_offer ${quote(wordsOf(helpWords))}
      return
    fi
    ((COMP_CWORD == 3)) && name=\${COMP_WORDS[2]}
  fi
  if ((COMP_CWORD == 2)) || [[ \${COMP_WORDS[1]} == help ]]; then
    case $name in
${seconds.join("\n")}
    esac
    [[ \${COMP_WORDS[1]} == help ]] && return
  fi
  case $name in
    ${Object.keys(groups).map(quote).join("|")}) name="$name \${COMP_WORDS[2]}" ;;
  esac
  case "$name $before" in
${commands.flatMap(optionValues).join("\n")}
  esac
  case $name in
${commands.map(renderCommand).join("\n")}
  esac
}

complete -F _sluice sluice
`;
}

function wordsOf(words: readonly (readonly [word: string, ...rest: string[]])[]): string {
  return words.map(([word]) => word).join(" ");
}

/** What follows an option; where nothing is offered, not what an argument could be either. */
function optionValues({ words, options }: OfferedCommand): readonly string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === undefined) return [];
    const patterns = flags.map((flag) => quote(`${words.join(" ")} ${flag}`)).join("|");
    return [`    ${patterns}) ${offerValue(value)}; return ;;`];
  });
}

function renderCommand({ words, options, arguments: given }: OfferedCommand): string {
  const flags = options.flatMap((option) => option.flags).join(" ");
  const first = given.find(({ kind }) => kind !== "other");
  const offerFlags = `_sluice_offer ${quote(flags)}`;
  const offer =
    first === undefined
      ? offerFlags
      : `if [[ $current == -* ]]; then ${offerFlags}; else ${offerValue(first)}; fi`;
  return `    ${quote(words.join(" "))}) ${offer} ;;`;
}

function offerValue({ kind, choices }: Value): string {
  if (kind === "file") return "_sluice_files -f";
  if (kind === "folder") return "_sluice_files -d";
  return kind === "choice" ? `_sluice_offer ${quote(choices.join(" "))}` : ":";
}
