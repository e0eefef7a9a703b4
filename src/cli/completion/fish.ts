// The completion script for fish, 3.0 and later.

import type { Offer, OfferedCommand, OfferedOption, OfferedWord, Value } from "./table.ts";
import { quoteFish as quote } from "./quote.ts";

export function renderFish({ firstWords, helpWords, groups, commands }: Offer): string {
  const lines = [
    ...wordLines("", firstWords),
    line("", ["-s h -l help", `-d ${quote("Show the help.")}`]),
    line("", ["-s V -l version", `-d ${quote("Print the version.")}`]),
    ...wordLines("help", helpWords),
    ...Object.entries(groups).flatMap(([group, words]) => [
      ...wordLines(group, words),
      ...wordLines(`help ${group}`, words),
    ]),
    ...commands.flatMap(commandLines),
  ];
  return `# Completion of sluice for fish. To load it in every shell:
#   sluice completion fish > ~/.config/fish/completions/sluice.fish

# True if the words before the current one are these, and no others.
function __sluice_at
    set -l words (commandline -opc)
    set -e words[1]
    test "$words" = "$argv"
end

# True if the words before the current one begin with these.
function __sluice_in
    set -l words (commandline -opc)
    set -e words[1]
    set -l count (count $argv)
    test "$words[1..$count]" = "$argv"
end

complete -c sluice -f
${lines.join("\n")}
`;
}

function wordLines(before: string, words: readonly OfferedWord[]): readonly string[] {
  return words.map(([word, summary]) =>
    line(before, [`-a ${quote(word)}`, `-d ${quote(summary)}`]),
  );
}

function line(before: string, parts: readonly string[]): string {
  return [`complete -c sluice -n ${quote(`__sluice_at ${before}`.trim())}`, ...parts].join(" ");
}

function commandLines({ words, options, arguments: given }: OfferedCommand): readonly string[] {
  const condition = `complete -c sluice -n ${quote(`__sluice_in ${words.join(" ")}`)}`;
  const first = given.find(({ kind }) => kind !== "other");
  return [
    ...(first === undefined ? [] : [`${condition} ${offerValue(first)}`]),
    ...options.map((option) => `${condition} ${optionParts(option)}`),
  ];
}

function optionParts({ flags, summary, value }: OfferedOption): string {
  const forms = flags.map((flag) =>
    flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  const needed =
    value === undefined ? [] : [value.kind === "other" ? "-x" : offerOptionValue(value)];
  return [...forms, ...needed, `-d ${quote(summary)}`].join(" ");
}

function offerOptionValue(value: Value): string {
  return value.kind === "file" ? "-r -F" : `-x ${offerValue(value)}`;
}

function offerValue({ kind, choices }: Value): string {
  if (kind === "file") return "-F";
  return kind === "folder"
    ? "-a '(__fish_complete_directories)'"
    : `-a ${quote(choices.join(" "))}`;
}
