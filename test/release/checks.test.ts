// Each check of a release passes here, and fails where a copy of the checkout is broken.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Checkout } from "../../tools/release/check.ts";
import { runCheck } from "../../tools/release/check.ts";
import { checkChangelog } from "../../tools/release/check/changelog.ts";
import { checkLicences } from "../../tools/release/check/licences.ts";
import { checkLockFile } from "../../tools/release/check/lock-file.ts";
import { checkPublishing } from "../../tools/release/check/publishing.ts";
import { checkVersions } from "../../tools/release/check/versions.ts";
import { checkWorkTree } from "../../tools/release/check/work-tree.ts";
import { lacks } from "../support/lacking-program.ts";
import { readFile } from "../repository/tree.ts";
import { checkoutOf, commitAll, copyOf, edit, git, ownCheckout } from "./copy.ts";

/** Fails unless the only problem, or the first, is the expected one. */
function expectProblem(problems: readonly string[], expected: RegExp, what = ""): void {
  assert.match(problems[0] ?? "no problem", expected, what);
}

const entry = "### Added\n\n- Something.\n";

function problemsOfChangelog(text: string): readonly string[] {
  const checkout = checkoutOf({ "CHANGELOG.md": `# Changelog\n\n${text}` });
  return checkChangelog({ ...checkout, version: "1.2.0" }, "2026-01-31").problems;
}

function problemsOfLocked(locked: object, lockfileVersion = 3): readonly string[] {
  const packages = { "": {}, "tools/a": {}, "node_modules/a": locked };
  return checkLockFile(checkoutOf({ "package-lock.json": { lockfileVersion, packages } })).problems;
}

/** A checkout that needs one package, with this licence and these files, and another for development. */
function checkoutWith(license: string | undefined, texts: Readonly<Record<string, string>>) {
  const packages = {
    "": { dependencies: { a: "1.0.0" }, devDependencies: { b: "1.0.0" } },
    "node_modules/a": { version: "1.0.0", license },
    "node_modules/b": { version: "1.0.0", license: "GPL-3.0-only", dev: true },
  };
  const installed = Object.entries(texts).map(([name, text]) => [`node_modules/a/${name}`, text]);
  const lock = { "package-lock.json": { packages } };
  return checkoutOf({ ...lock, ...(Object.fromEntries(installed) as Record<string, string>) });
}

function problemsOfLicences(checkout: Checkout, elsewhere = {}): readonly string[] {
  return checkLicences(checkout, elsewhere).problems;
}

describe("the check of the work tree", () => {
  it("passes on main and on the tag of the version", async () => {
    const copy = copyOf("LICENSE");
    commitAll(copy);
    assert.deepEqual((await checkWorkTree(copy)).problems, []);
    git(copy, "tag", `v${copy.version}`);
    git(copy, "checkout", "--detach");
    assert.deepEqual((await checkWorkTree(copy)).problems, []);
  });

  it("fails with changes, on a branch, and where the version was released before", async () => {
    const copy = copyOf("LICENSE");
    commitAll(copy);
    git(copy, "tag", `v${copy.version}`);
    git(copy, "checkout", "-b", "other");
    writeFileSync(join(copy.root, "new"), "");
    git(copy, "commit", "--no-gpg-sign", "--allow-empty", "--message", "Another");
    const { problems } = await checkWorkTree(copy);
    assert.equal(problems.length, 3);
    expectProblem(problems, /^Files are not committed: new\.$/);
    expectProblem(problems.slice(1), /on the branch other/);
    expectProblem(problems.slice(2), /is on another commit/);
  });

  it("fails outside of a repository", async () => {
    const check = { name: "work tree", run: checkWorkTree };
    expectProblem((await runCheck(check, checkoutOf({}))).problems, /not a git repository/);
  });
});

describe("the check of the versions", () => {
  const paths = [
    "package.json",
    "package-lock.json",
    "client/package.json",
    "client/README.md",
    "clients/python/pyproject.toml",
    "clients/python/src/sluice/_version.py",
    "clients/go/connection.go",
    "deploy/helm/sluice/Chart.yaml",
    "deploy/container/Containerfile",
    "docs/guides/installation.md",
  ];
  const copy = copyOf(...paths);

  it("passes here", () => {
    assert.deepEqual(checkVersions(ownCheckout).problems, []);
  });

  for (const path of paths) {
    it(`fails with another version in ${path}`, () => {
      const restore = edit(copy, path, (text) => text.replace(copy.version, "9.8.7"));
      expectProblem(checkVersions(copy).problems, new RegExp(`^${path}: .* 9\\.8\\.7, not `));
      restore();
    });
  }

  it("fails where no version is stated, and for a bad one", () => {
    const restore = edit(copy, "clients/go/connection.go", (text) => text.replace("const V", "v"));
    expectProblem(checkVersions(copy).problems, /states no version of the Go client/);
    restore();
    const { problems } = checkVersions({ ...copy, version: "1.0" });
    assert.ok(problems.includes("package.json: 1.0 is not a semantic version."));
  });
});

describe("the check of the changelog", () => {
  it("passes for a dated section of the version, with nothing unreleased", () => {
    const earlier = `## [1.1.0] - 2025-12-31\n\n${entry}`;
    const text = `## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n${entry}\n${earlier}`;
    assert.deepEqual(problemsOfChangelog(text), []);
  });

  it("fails for each of these", () => {
    const section = (heading: string, text = entry) => `## [Unreleased]\n\n${heading}\n\n${text}`;
    const wrong: readonly (readonly [text: string, problem: RegExp])[] = [
      ["", /no section "## \[Unreleased\]"/],
      [section("## [1.1.0] - 2026-01-31"), /no section "## \[1\.2\.0\] - YYYY-MM-DD"/],
      [`## [Unreleased]\n\n${entry}\n## [1.2.0] - 2026-01-31\n\n${entry}`, /move what is under/],
      [section("## [1.2.0]"), /has no date/],
      [section("## [1.2.0] - 2026-02-30"), /has no date/],
      [section("## [1.2.0] - 2026-02-01"), /a date to come/],
      [section("## [1.2.0] - 2026-01-31", "### Added\n"), /is empty/],
      [section("## [1.2.0] - 2026-01-31", "### New\n\n- It.\n"), /New is none of Added/],
      [
        section(`## [1.3.0] - 2026-01-31\n\n${entry}\n## [1.2.0] - 2026-01-31`),
        /1\.2\.0 is not the latest/,
      ],
    ];
    for (const [text, problem] of wrong) expectProblem(problemsOfChangelog(text), problem, text);
  });
});

describe("the check of the lock file", () => {
  const integrity = `sha512-${"a".repeat(86)}==`;

  it("passes here", () => {
    assert.deepEqual(checkLockFile(ownCheckout).problems, []);
  });

  it("passes for the public registry, and for a folder of the checkout", () => {
    const resolved = "https://registry.npmjs.org/a/-/a-1.0.0.tgz";
    for (const locked of [{ integrity }, { integrity, resolved }]) {
      assert.deepEqual(problemsOfLocked(locked), []);
    }
    assert.deepEqual(problemsOfLocked({ link: true, resolved: "tools/a" }), []);
  });

  it("fails without a checksum, with a weak one, and for any other source", () => {
    const wrong: readonly (readonly [locked: object, problem: RegExp])[] = [
      [{}, /no SHA-512 checksum/],
      [{ integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }, /no SHA-512 checksum/],
      [{ integrity, resolved: "https://npm.sluice.invalid/a.tgz" }, /comes from https:\/\/npm\./],
      [{ integrity, resolved: "git+ssh://git@sluice.invalid/a.git" }, /comes from git\+ssh/],
      [{ integrity, resolved: "http://registry.npmjs.org/a.tgz" }, /comes from http:/],
      [{ link: true, resolved: "../a" }, /outside of the checkout/],
      [{ link: true, resolved: "/a" }, /outside of the checkout/],
    ];
    for (const [locked, problem] of wrong) expectProblem(problemsOfLocked(locked), problem);
    expectProblem(problemsOfLocked({ integrity }, 1), /has the format 1/);
  });
});

describe("the check of the licences", () => {
  it("passes here", () => {
    assert.deepEqual(checkLicences(ownCheckout).problems, []);
  });

  it("passes for allowed licences, and does not consider what only development needs", () => {
    for (const license of ["MIT", "(MIT OR GPL-3.0-only)", "Apache-2.0 AND ISC"]) {
      assert.deepEqual(problemsOfLicences(checkoutWith(license, { LICENSE: "Text" })), []);
    }
    const readme = { "README.md": "Permission is hereby granted, free of charge" };
    assert.deepEqual(problemsOfLicences(checkoutWith("MIT", readme)), []);
    assert.deepEqual(
      problemsOfLicences(checkoutWith("MIT", { a: "" }), { a: "https://sluice.invalid" }),
      [],
    );
  });

  it("fails for other licences, and where a text is missing", () => {
    const wrong = ["GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT AND ISC OR GPL-3.0-only)"];
    for (const license of [...wrong, undefined, "UNLICENSED"]) {
      expectProblem(
        problemsOfLicences(checkoutWith(license, { LICENSE: "" })),
        /not one of the allowed ones/,
      );
    }
    expectProblem(
      problemsOfLicences(checkoutWith("MIT", { "README.md": "MIT" })),
      /lacks the text/,
    );
    expectProblem(problemsOfLicences(checkoutWith("MIT", {})), /is missing; run npm ci/);
    const fine = checkoutWith("MIT", { LICENSE: "" });
    expectProblem(
      problemsOfLicences(fine, { a: "https://sluice.invalid" }),
      /has its text; remove it/,
    );
    expectProblem(problemsOfLicences(fine, { c: "https://sluice.invalid" }), /c is listed, but/);
  });
});

describe("the check of the provenance", () => {
  const workflow = ".github/workflows/release.yml";
  const copy = copyOf("package.json", "client/package.json", workflow);

  const skip = lacks("actionlint");
  it("has a workflow that actionlint accepts", { skip }, () => {
    const { status, stdout } = spawnSync("actionlint", [join(copy.root, workflow)]);
    assert.equal(status, 0, String(stdout));
  });

  it("passes here, and in the workflow of the repository", () => {
    assert.deepEqual(checkPublishing(copy, {}).problems, []);
    const { repository } = JSON.parse(readFile("package.json").text) as {
      repository: { url: string };
    };
    const environment = {
      GITHUB_ACTIONS: "true",
      GITHUB_REPOSITORY: repository.url.replace(/^.*\.com\/|\.git$/g, ""),
      ACTIONS_ID_TOKEN_REQUEST_URL: "https://sluice.invalid",
    };
    assert.deepEqual(checkPublishing(copy, environment).problems, []);
    const { problems } = checkPublishing(copy, {
      GITHUB_ACTIONS: "true",
      GITHUB_REPOSITORY: "a/b",
    });
    expectProblem(problems, /but this is a\/b/);
    expectProblem(problems.slice(1), /id-token: write/);
  });

  const wrong: readonly (readonly [path: string, from: string | RegExp, to: string, RegExp])[] = [
    ["package.json", "git+https://github.com", "git@sluice.invalid", /no repository on GitHub/],
    ["client/package.json", "sluice.git", "other.git", /different repositories/],
    ["client/package.json", '"type": "git"', '"type": "svn"', /no repository of type git/],
    ["package.json", '"provenance": true', '"provenance": false', /publishConfig\.provenance/],
    ["package.json", '"access": "public"', '"access": "restricted"', /publishConfig\.access/],
    ["client/package.json", '"license"', '"licence"', /has no licence/],
    ["client/package.json", '"node": ', '"bun": ', /which Node/],
    ["client/package.json", '"name"', '"private": true, "name"', /is private/],
    ["client/package.json", '"files"', '"fyles"', /does not list its files/],
    ["package.json", '"prepack"', '"postinstall"', /runs a script when it is installed/],
    [workflow, "id-token: write", "id-token: none", /id-token: write/],
    [workflow, /@[0-9a-f]{40}/, "@v7", /checkout@v7 is not pinned/],
    [workflow, "- run: npm run release", "- run: true", /run these checks/],
    [workflow, ".ci/run", "npm install", /what the lock file names/],
    [workflow, "--provenance", "--tag latest", /must publish @sluice\/client/],
    [workflow, '["v*"]', "[a]", /tag of a version/],
    [workflow, "timeout", "token: ${{ secrets.TOKEN }}\n    timeout", /uses a secret/],
  ];
  for (const [path, from, to, problem] of wrong) {
    it(`fails where ${path} has ${to} instead of ${String(from)}`, () => {
      const restore = edit(copy, path, (text) => text.replace(from, to));
      expectProblem(checkPublishing(copy, {}).problems, problem);
      restore();
    });
  }
});
