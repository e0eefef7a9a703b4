// The completion script for zsh, as a file of a folder in $fpath or loaded with `source`.

import type { Offer, OfferedCommand, OfferedOption, OfferedWord, Value } from "./table.ts";
import { quote } from "./quote.ts";

export function renderZsh({ firstWords, helpWords, groups, commands }: Offer): string {
  const seconds = Object.entries(groups).map(
    ([group, words]) => `      ${group}) ${offer(words)} ;;`,
  );
  return `#compdef sluice
# Completion of sluice for zsh. To load it in every shell, add to ~/.zshrc, after compinit:
#   source <(sluice completion zsh)

# Offers the second words of a group.
_sluice_second() {
  case $1 in
${seconds.join("\n")}
  esac
}

_sluice() {
  local name=$words[2]
  if (( CURRENT == 2 )); then
    ${offer(firstWords)}
    return
  fi
  if [[ $name == help ]]; then
    if (( CURRENT == 3 )); then
      ${offer(helpWords)}
    elif (( CURRENT == 4 )); then
      _sluice_second $words[3]
    fi
    return
  fi
  case $name in
    ${Object.keys(groups).join("|")})
      if (( CURRENT == 3 )); then
        _sluice_second $name
        return
      fi
      name="$name $words[3]"
      shift words
      (( CURRENT -= 1 ))
      ;;
  esac
  shift words
  (( CURRENT -= 1 ))
  case $name in
${commands.map(renderCommand).join("\n")}
  esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _sluice "$@"
else
  compdef _sluice sluice
fi
`;
}

function offer(words: readonly OfferedWord[]): string {
  const described = words.map(([word, summary]) => quote(`${escapeColons(word)}:${summary}`));
  return `local -a offered=(${described.join(" ")}); _describe word offered`;
}

function renderCommand({ words, options, arguments: given }: OfferedCommand): string {
  const specs = [
    ...options.flatMap(optionSpecs),
    ...given.map((value) => quote(`${value.repeatable ? "*" : ""}:${message(value)}`)),
  ];
  const lines = specs.map((spec) => ` \\\n        ${spec}`).join("");
  return `    ${quote(words.join(" "))})\n      _arguments -s -S :${lines}\n      ;;`;
}

/** One for each form; the forms exclude each other. */
function optionSpecs({ flags, summary, value, repeatable }: OfferedOption): readonly string[] {
  const text = `[${escapeColons(summary.replace(/[[\\\]]/g, "\\$&"))}]`;
  const excluded = repeatable ? "*" : `(${flags.join(" ")})`;
  return flags.map((flag) => {
    if (value === undefined) return quote(`${excluded}${flag}${text}`);
    const form = flag.startsWith("--") ? `${flag}=` : `${flag}+`;
    return quote(`${excluded}${form}${text}:${message(value)}`);
  });
}

function message({ placeholder, kind, choices }: Value): string {
  const actions = {
    file: "_files",
    folder: "_files -/",
    choice: `(${choices.map(escapeColons).join(" ")})`,
    // Not a message, with which zsh would not insert an option either.
    other: "()",
  };
  return `${escapeColons(placeholder)}:${actions[kind]}`;
}

function escapeColons(text: string): string {
  return text.replaceAll(":", "\\:");
}
