// `sluice completion`

import { type Command, defineCommand, required } from "../command.ts";
import { renderBash } from "../completion/bash.ts";
import { renderFish } from "../completion/fish.ts";
import { type CommandTable, makeOffer, type Offer } from "../completion/table.ts";
import { renderZsh } from "../completion/zsh.ts";
import { choice } from "../input/kinds.ts";

const shells = ["bash", "zsh", "fish"] as const;

const renderFor: Readonly<Record<(typeof shells)[number], (offer: Offer) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};

/** The table has this command, too, so it is read only when the command runs. */
export function makeCompletion(table: () => CommandTable): Command {
  return defineCommand({
    name: "completion",
    summary: "Print a script that completes commands, options and values in a shell.",
    details:
      "The script is made from the commands of this version, so a shell that loads it at its start is always up to date. " +
      "With zsh, load it after compinit. Needs no store.",
    examples: [
      "source <(sluice completion bash)",
      "source <(sluice completion zsh)",
      "sluice completion fish > ~/.config/fish/completions/sluice.fish",
    ],
    rights: [],
    arguments: { shell: required(choice("SHELL", shells), `The shell: ${shells.join(", ")}.`) },
    run: async (_, { shell }) => {
      const script = renderFor[shell](makeOffer(table()));
      return { json: { shell, script }, text: script.trimEnd() };
    },
  });
}
