// `sluice completion`: the script of a shell, which asks this command what can follow the words that were typed.

import {
  anyNumber,
  type Command,
  type CommandTable,
  defineCommand,
  type Parameter,
  required,
} from "../../cli/command.ts";
import { choice } from "../../cli/input/kinds.ts";
import { commonOptions, optionFlags } from "../../cli/option-flag.ts";

const scripts = {
  bash: String.raw`# Completion of sluice for bash. To load it in every shell, add to ~/.bashrc:
#   source <(sluice completion bash)
_sluice() {
  local IFS=$'\n' current=${"$"}{COMP_WORDS[COMP_CWORD]} kind=file offered
  offered=$("${"$"}{COMP_WORDS[0]}" completion bash -- "${"$"}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ $current == '=' ]] && current=
  case $offered in
    :files | :folders)
      [[ $offered == :folders ]] && kind=directory
      COMPREPLY=($(compgen -A $kind -- "$current"))
      compopt -o filenames 2>/dev/null ;;
    *) COMPREPLY=($(cut -f 1 <<<"$offered")) ;;
  esac
}
complete -F _sluice sluice`,
  zsh: String.raw`#compdef sluice
# Completion of sluice for zsh. To load it in every shell, add to ~/.zshrc, after compinit:
#   source <(sluice completion zsh)
_sluice() {
  local line
  local -a lines offered
  lines=("${"$"}{(@f)$("${"$"}{words[1]}" completion zsh -- "${"$"}{(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $lines[1] in
    :files) compset -P '--*='; _files ;;
    :folders) compset -P '--*='; _files -/ ;;
    ?*)
      for line in $lines; do offered+=("${"$"}{${"$"}{line%%$'\t'*}//:/\\:}:${"$"}{line#*$'\t'}"); done
      _describe word offered ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _sluice "$@"; else compdef _sluice sluice; fi`,
  fish: String.raw`# Completion of sluice for fish. To load it in every shell:
#   sluice completion fish > ~/.config/fish/completions/sluice.fish
function __sluice_offer
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l offered ($typed[1] completion fish -- $typed[2..-1] "$current" 2>/dev/null)
    switch "$offered[1]"
        case :files
            __fish_complete_path "$current"
        case :folders
            __fish_complete_directories "$current"
        case '*'
            printf '%s\n' $offered
    end
end
complete -c sluice -f -a '(__sluice_offer)'`,
} as const;

const shells = ["bash", "zsh", "fish"] as const satisfies readonly (keyof typeof scripts)[];

export const heading = "Tools";

const completion = defineCommand({
  name: "completion",
  summary: "Print a script that completes commands, options and values in a shell.",
  details:
    "The script asks this command what can follow the words that were typed, so it is always up to date. " +
    "With zsh, load it after compinit. Needs no store.",
  examples: [
    "source <(sluice completion bash)",
    "source <(sluice completion zsh)",
    "sluice completion fish > ~/.config/fish/completions/sluice.fish",
  ],
  rights: [],
  arguments: {
    shell: required(choice("SHELL", shells), `The shell: ${shells.join(", ")}.`),
    words: anyNumber(
      { placeholder: "WORD", read: (word) => word },
      "The words typed after sluice; prints what can follow. For the script.",
    ),
  },
  run: async ({ table }, { shell, words }) => {
    if (words.length === 0)
      return { json: { shell, script: scripts[shell] }, text: scripts[shell] };
    const offer = completionOffer(await table.load(words.length > 1 ? words[0] : undefined), words);
    return { json: offer, text: renderOffer(offer) };
  },
});

export const commands = [completion];

function renderOffer(offer: Offer): string {
  if (typeof offer === "string") return `:${offer}`;
  return offer.map(([word, summary]) => `${word}\t${summary}`).join("\n");
}

type OfferedWord = readonly [word: string, summary: string];

type Offer = readonly OfferedWord[] | "files" | "folders";

/** The words after `sluice`; the last one, which may be empty, is completed. */
export function completionOffer(table: CommandTable, typed: readonly string[]): Offer {
  // Bash splits --option=value into three words.
  const words = typed.filter((word) => word !== "=");
  if (typed.at(-1) === "=") words.push("");
  const current = words.pop() ?? "";
  const [, option, value] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  const offer =
    option === undefined
      ? offerAfter(table, words, current)
      : offerAfter(table, [...words, option], value ?? "");
  if (typeof offer === "string") return offer;
  const whole: readonly OfferedWord[] =
    option === undefined ? offer : offer.map(([word, about]) => [`${option}=${word}`, about]);
  return whole.filter(([word]) => word.startsWith(current));
}

function offerAfter(table: CommandTable, before: readonly string[], current: string): Offer {
  const [first, second] = before;
  if (first === undefined) return [...firstWords(table), ["help", "Explain."], ...ownOptions];
  if (first === "help") {
    if (second === undefined) return firstWords(table);
    return before.length === 2 ? secondWords(table, second) : [];
  }
  if (Object.hasOwn(table.groups, first) && before.length === 1) return secondWords(table, first);
  const [both, only] = [`${first} ${second}`, first].map((name) =>
    table.commands.find((one) => one.name === name),
  );
  const command = both ?? only;
  if (command === undefined) return [];
  const offer = offerOf(command, before.at(-1), current);
  // A command such as `export` may be the first word of another one.
  const isOpen = before.length === 1 && typeof offer !== "string";
  return isOpen ? [...secondWords(table, first), ...offer] : offer;
}

const ownOptions: readonly OfferedWord[] = ["-h", "--help", "-V", "--version"].map((word) => [
  word,
  "",
]);

function firstWords(table: CommandTable): readonly OfferedWord[] {
  const single = table.commands.filter(({ name }) => !name.includes(" "));
  return [
    ...single.map(({ name, summary }) => explained(name, summary)),
    ...Object.entries(table.groups),
  ];
}

function secondWords(table: CommandTable, group: string): readonly OfferedWord[] {
  return table.commands
    .filter(({ name }) => name.startsWith(`${group} `))
    .map(({ name, summary }) => explained(name.slice(group.length + 1), summary));
}

function offerOf(command: Command, last: string | undefined, current: string): Offer {
  const options = Object.entries({ ...command.options, ...commonOptions });
  const named = options.find(([name]) => optionFlags(name).includes(last ?? ""));
  if (named !== undefined && named[1].form !== "flag") return valuesOf(named[1]);
  const flags = options.flatMap(([name, { summary }]) =>
    optionFlags(name).map((flag) => explained(flag, summary)),
  );
  const all: Offer = [...flags, ["-h", "Show the help."], ["--help", "Show the help."]];
  if (current.startsWith("-")) return all;
  const offers = Object.values(command.arguments).map(valuesOf);
  return offers.find((offer) => offer.length > 0) ?? all;
}

function valuesOf({ placeholder, values = [] }: Parameter<unknown>): Offer {
  if (placeholder === "FILE" && values.length === 0) return "files";
  if (placeholder === "DIR" && values.length === 0) return "folders";
  return values.map((value) => [value, ""]);
}

/** Menus of shells have one line for each word. */
function explained(word: string, text: string): OfferedWord {
  return [word, /^.*?\.(?= )/.exec(text)?.[0] ?? text];
}
