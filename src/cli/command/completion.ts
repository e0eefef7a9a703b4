// `sluice completion`: the script of a shell, which asks this command what can follow the words that were typed.

import { anyNumber, type Command, defineCommand, required } from "../command.ts";
import { type CommandTable, completionOffer, type Offer } from "../completion-offer.ts";
import { choice } from "../input/kinds.ts";

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

/** The table has this command, too, so it is read only when the command runs. */
export function makeCompletion(table: () => CommandTable): Command {
  return defineCommand({
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
    run: async (_, { shell, words }) => {
      if (words.length === 0)
        return { json: { shell, script: scripts[shell] }, text: scripts[shell] };
      const offer = completionOffer(table(), words);
      return { json: offer, text: renderOffer(offer) };
    },
  });
}

/** A line for each word, with its summary after a tab. */
function renderOffer(offer: Offer): string {
  if (typeof offer === "string") return `:${offer}`;
  return offer.map(([word, summary]) => `${word}\t${summary}`).join("\n");
}
