// The completion scripts, run by the shells that they are for. A shell that is not installed is
// skipped.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commands, groups, topics } from "../../src/cli/commands.ts";
import { commonOptions, optionFlags } from "../../src/cli/option-flag.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCommandLine } from "./command-line.ts";

const folder = makeTempFolder();
mkdirSync(join(folder, "backups"));
writeFileSync(join(folder, "receipts.json"), "");
const line = makeCommandLine({ folder });

/** Prints what the function of the script offers for each line, with a space between the words. */
const bashProbe = `
source "$1"; shift
for line in "$@"; do
  COMP_WORDS=($line); [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _sluice
  echo "\${COMPREPLY[*]}"
done`;

const fishProbe = `
source $argv[1]
for line in $argv[2..-1]
  set -l offered (complete -C $line | string replace -r '\\t.*' '')
  echo "$offered"
end`;

/** Types each line and a tab into an interactive shell, and prints what the line became. */
const zshProbe = String.raw`
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -U compinit; compinit -u -D; source $1; \
report() { print -r -- \"LINE<\$BUFFER>\"; BUFFER=; }; zle -N report; \
bindkey '^T' report; bindkey '^I' complete-word; print READY"
zpty -r shell seen '*READY*'; zpty -r shell seen '*READY*'
shift
for line in "$@"; do
  zpty -w -n shell "$line"$'\t\x14'
  zpty -r shell seen '*LINE<*>*'
  print -r -- "${"$"}{${"$"}{seen##*LINE<}%%>*}"
done
zpty -d shell`;

const shells = {
  bash: { probe: bashProbe, options: ["--norc"] },
  fish: { probe: fishProbe, options: ["--no-config"] },
  zsh: { probe: zshProbe, options: ["-f"] },
} as const;

type Shell = keyof typeof shells;

/** The reason to skip the tests of a shell; false if it is installed. */
function missing(shell: Shell): string | false {
  return spawnSync(shell, ["--version"]).status === 0 ? false : `needs ${shell}`;
}

async function writeScript(shell: Shell): Promise<string> {
  const path = join(folder, `completion.${shell}`);
  writeFileSync(path, (await line.type(`completion ${shell}`)).out);
  return path;
}

/** What the shell prints for each line, run with the script and a probe. */
async function ask(shell: Shell, lines: readonly string[]): Promise<readonly string[]> {
  const probe = join(folder, `probe.${shell}`);
  writeFileSync(probe, shells[shell].probe);
  const words = [...shells[shell].options, probe, await writeScript(shell), ...lines];
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: folder, TERM: "dumb", LC_ALL: "C.UTF-8" };
  const { stdout, stderr } = spawnSync(shell, words, { env, encoding: "utf8" });
  assert.equal(stderr, "");
  return stdout.split("\n").slice(0, lines.length);
}

const firstWords = new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""));

function sorted(words: string | readonly string[]): readonly string[] {
  const list = typeof words === "string" ? words.split(" ") : words;
  return list.map((word) => word.replace(/\/$/, "")).toSorted();
}

/** Lines, and all that is offered for each. */
const offered: readonly (readonly [line: string, words: readonly string[]])[] = [
  ["sluice help ", [...firstWords, ...Object.keys(topics)]],
  ...Object.keys(groups).map((group) => {
    const names = commands.map(({ name }) => name.split(" "));
    const seconds = names.flatMap(([first, second = ""]) => (first === group ? [second] : []));
    return [`sluice ${group} `, seconds] as const;
  }),
  ["sluice help key ro", ["rotate"]],
  ["sluice deletion list --status ", ["pending", "processing", "completed", "cancelled"]],
  ["sluice export pers", ["person"]],
  ["sluice import file.csv --type pers", ["person"]],
  ["sluice completion ", ["bash", "fish", "zsh"]],
  [`sluice receipt verify ${folder}/rec`, [`${folder}/receipts.json`]],
  [`sluice serve --data-dir ${folder}/b`, [`${folder}/backups`]],
  ["sluice key list --organization ", [""]],
  ["sluice key list -o ", [""]],
];

describe("the completion script", () => {
  for (const shell of ["bash", "fish"] as const) {
    it(`for ${shell} offers words, values and files`, { skip: missing(shell) }, async () => {
      const found = await ask(
        shell,
        offered.map(([typed]) => typed),
      );
      for (const [index, [typed, words]] of offered.entries())
        assert.deepEqual(sorted(found[index] ?? ""), sorted(words), typed);
    });

    it(`for ${shell} offers all options of every command`, { skip: missing(shell) }, async () => {
      const found = await ask(
        shell,
        commands.map(({ name }) => `sluice ${name} -`),
      );
      for (const [index, { name, options }] of commands.entries()) {
        const names = Object.keys({ ...options, ...commonOptions });
        const flags = [...names.flatMap(optionFlags), "-h", "--help"];
        assert.deepEqual(sorted(found[index] ?? ""), sorted(flags), name);
      }
    });
  }

  it("for zsh completes words, options, values and files", { skip: missing("zsh") }, async () => {
    const completed = [
      ["sluice migr", "sluice migrate "],
      ["sluice key cr", "sluice key create "],
      ["sluice help exit", "sluice help exit-codes "],
      ["sluice help key rot", "sluice help key rotate "],
      ["sluice deletion list --status proc", "sluice deletion list --status processing "],
      ["sluice key list --org", "sluice key list --organization="],
      ["sluice serve --data-d", "sluice serve --data-dir="],
      ["sluice check --er", "sluice check --erasure "],
      ["sluice export pers", "sluice export person "],
      [
        "sluice organization set x --strict-scopes of",
        "sluice organization set x --strict-scopes off ",
      ],
      [`sluice receipt verify ${folder}/rec`, `sluice receipt verify ${folder}/receipts.json `],
    ] as const;
    const found = await ask(
      "zsh",
      completed.map(([typed]) => typed),
    );
    assert.deepEqual(
      found,
      completed.map(([, whole]) => whole),
    );
  });

  it("for zsh has a valid specification of every command", { skip: missing("zsh") }, async () => {
    const lines = commands.map(({ name }) => `sluice ${name} --hel`);
    assert.deepEqual(
      await ask("zsh", lines),
      commands.map(({ name }) => `sluice ${name} --help `),
    );
  });

  it("is refused for another shell", async () => {
    const { code, message } = await line.fail("completion", "tcsh");
    assert.equal(code, 2);
    assert.match(message, /one of bash, zsh, fish/);
  });
});
