// What shell completion offers, and the scripts, run by the shells that they are for. A shell that is not installed is
// skipped.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadTable } from "../../../src/process/command-table.ts";
import { completionOffer } from "../../../src/feature/completion/commands.ts";
import { commonOptions, optionFlags } from "../../../src/cli/option-flag.ts";
import { root } from "../../repository/tree.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCommandLine } from "../../cli/command-line.ts";

const commandTable = await loadTable();
const { commands, groups } = commandTable;

const folder = makeTempFolder();
const line = makeCommandLine({ folder });

function offered(...typed: readonly string[]): readonly string[] | "files" | "folders" {
  const offer = completionOffer(commandTable, typed);
  return typeof offer === "string" ? offer : offer.map(([word]) => word);
}

describe("what can follow a command line", () => {
  it("is every command, also after help", () => {
    const first = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
    assert.deepEqual(
      new Set(offered("")),
      new Set([...first, "help", "-h", "--help", "-V", "--version"]),
    );
    assert.deepEqual(new Set(offered("help", "")), new Set(first));
    for (const group of Object.keys(groups)) {
      const names = commands.map(({ name }) => name.split(" "));
      const seconds = names.flatMap(([word, second = ""]) => (word === group ? [second] : []));
      assert.deepEqual(offered(group, ""), seconds);
      assert.deepEqual(offered("help", group, ""), seconds);
    }
  });

  it("is every option of each command", () => {
    for (const { name, options } of commands) {
      const flags = Object.keys({ ...options, ...commonOptions }).flatMap(optionFlags);
      assert.deepEqual(offered(...name.split(" "), "-"), [...flags, "-h", "--help"], name);
    }
  });

  const cases: readonly (readonly [typed: readonly string[], words: readonly string[] | string])[] =
    [
      [["migr"], ["migrate"]],
      [["help", "key", "ro"], ["rotate"]],
      [
        ["deletion", "list", "--status", ""],
        ["pending", "processing", "completed", "cancelled"],
      ],
      [["deletion", "list", "--status", "=", "proc"], ["processing"]],
      [
        ["deletion", "list", "--status", "="],
        ["pending", "processing", "completed", "cancelled"],
      ],
      [["deletion", "list", "--status=proc"], ["--status=processing"]],
      [["deletion", "hold", "pers"], ["person"]],
      [["restore", ""], "files"],
      [["organization", "close", "--export", ""], "folders"],
      [["organization", "close", "--export=a"], "folders"],
      [["key", "list", "-o", ""], []],
      [["unknown", ""], []],
      [["toString", ""], []],
    ];
  for (const [typed, words] of cases) {
    it(`is ${String(words) || "nothing"} for "${typed.join(" ")}"`, () => {
      assert.deepEqual(offered(...typed), words);
    });
  }
});

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

/** What the shell prints for each line, run with the script and a probe. */
async function ask(shell: Shell, lines: readonly string[]): Promise<readonly string[]> {
  mkdirSync(join(folder, "bin"), { recursive: true });
  mkdirSync(join(folder, "backups"), { recursive: true });
  writeFileSync(join(folder, "receipts.json"), "");
  const program = `#!/bin/sh\nexec "${process.execPath}" "${join(root, "bin/sluice.js")}" "$@"\n`;
  writeFileSync(join(folder, "bin/sluice"), program, { mode: 0o755 });
  const [script, probe] = [join(folder, `script.${shell}`), join(folder, `probe.${shell}`)];
  writeFileSync(script, (await line.type(`completion ${shell}`)).out);
  writeFileSync(probe, shells[shell].probe);
  const words = [...shells[shell].options, probe, script, ...lines];
  const env = {
    ...process.env,
    PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: folder,
    TERM: "dumb",
    LC_ALL: "C.UTF-8",
  };
  const { stdout, stderr } = spawnSync(shell, words, { env, cwd: folder, encoding: "utf8" });
  assert.equal(stderr, "");
  return stdout.split("\n").slice(0, lines.length);
}

describe("the completion script", () => {
  const completed = [
    ["sluice migr", "migrate"],
    ["sluice help key rot", "rotate"],
    ["sluice deletion list --status proc", "processing"],
    ["sluice organization close --exp", "--export"],
    [`sluice restore ${folder}/rec`, `${folder}/receipts.json`],
    [`sluice organization close --export ${folder}/back`, `${folder}/backups`],
  ] as const;
  const lines = completed.map(([typed]) => typed);

  for (const shell of ["bash", "fish"] as const) {
    it(
      `for ${shell} offers words, values, files and folders`,
      { skip: missing(shell) },
      async () => {
        const found = await ask(shell, [...lines, "sluice key list -o "]);
        const expected = [...completed.map(([, word]) => word), ""];
        assert.deepEqual(
          found.map((word) => word.replace(/\/$/, "")),
          expected,
        );
      },
    );
  }

  it("for zsh completes words, values, files and folders", { skip: missing("zsh") }, async () => {
    const found = await ask("zsh", lines);
    const expected = completed.map(([typed, word]) => typed.replace(/\S+$/, word));
    assert.deepEqual(
      found.map((one) => one.replace(/[ /]$/, "")),
      expected,
    );
  });

  it("is refused for another shell", async () => {
    const { code, message } = await line.fail("completion tcsh");
    assert.equal(code, 2);
    assert.match(
      message,
      /'tcsh' is invalid for SHELL\. .*one of bash, zsh, fish; did you mean bash\?/,
    );
  });
});
