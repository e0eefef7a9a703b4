// Whether the packages can be published with provenance: a statement, signed for the workflow that published a package,
// of the commit and the repository that it was built from. npm compares the repository with that of the package.

import type { Checkout, Outcome } from "../check.ts";
import { type Manifest, readManifest, readText } from "../files.ts";

const workflowPath = ".github/workflows/release.yml";

/** The folders of the packages that are published on npm. */
const folders = [".", "client"];

/** What the workflow has to contain. */
const neededInWorkflow: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^\s+tags: \["v\*"\]$/m, "must start when the tag of a version is pushed, and only then"],
  [/^\s+id-token: write$/m, "must have the permission that provenance needs, id-token: write"],
  [/^\s+- run: (?:npm ci|\.ci\/run)$/m, "must install what the lock file names"],
  [/^\s+- run: npm run release$/m, "must run these checks before it publishes"],
  [/^\s+- run: npm publish .*sluice-client-.* --provenance\b/m, "must publish @sluice/client"],
  [/^\s+- run: npm publish .*\/sluice-\$.* --provenance\b/m, "must publish sluice"],
];

export function checkPublishing(
  { root }: Checkout,
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): Outcome {
  const manifests = folders.map((folder) => readManifest(root, folder));
  const addresses = new Set(manifests.map(({ repository }) => repository?.url));
  const [address = ""] = addresses;
  const problems = [
    ...manifests.flatMap(findManifestProblems),
    ...(addresses.size === 1 ? [] : ["package.json: the packages state different repositories."]),
    ...findWorkflowProblems(readText(root, workflowPath)),
    ...findEnvironmentProblems(address, environment),
  ];
  return { problems, found: `${repositoryOf(address) ?? "no repository"}, ${workflowPath}` };
}

function findManifestProblems(manifest: Manifest): readonly string[] {
  const { name = "a package", repository, publishConfig, files = [], engines, scripts } = manifest;
  const found: readonly (readonly [isFine: boolean, what: string])[] = [
    [manifest.private !== true, "is private"],
    [repository?.type === "git", "has no repository of type git"],
    [repositoryOf(repository?.url ?? "") !== undefined, "has no repository on GitHub (git+https)"],
    [publishConfig?.provenance === true, "does not set publishConfig.provenance"],
    [publishConfig?.access === "public", "does not set publishConfig.access to public"],
    [manifest.license !== undefined, "has no licence"],
    [engines?.["node"] !== undefined, "does not say which Node it needs"],
    [files.length > 0, "does not list its files"],
    [!hasInstallScript(scripts), "runs a script when it is installed"],
  ];
  return found.flatMap(([isFine, what]) => (isFine ? [] : [`package.json: ${name} ${what}.`]));
}

function hasInstallScript(scripts: Readonly<Record<string, string>> = {}): boolean {
  return ["preinstall", "install", "postinstall"].some((name) => scripts[name] !== undefined);
}

/** `owner/name`, as GitHub calls it. */
function repositoryOf(url: string): string | undefined {
  return /^git\+https:\/\/github\.com\/([\w.-]+\/[\w.-]+?)\.git$/.exec(url)?.[1];
}

function findWorkflowProblems(text: string): readonly string[] {
  const lacking = neededInWorkflow.filter(([pattern]) => !pattern.test(text));
  const used = [...text.matchAll(/\buses: (\S+)/g)].map(([, action = ""]) => action);
  const loose = used.filter((action) => !/@[0-9a-f]{40}$/.test(action));
  return [
    ...lacking.map(([, what]) => `${workflowPath}: ${what}.`),
    ...loose.map((action) => `${workflowPath}: ${action} is not pinned to a commit.`),
    ...(/secrets\./.test(text) ? [`${workflowPath}: uses a secret; npm needs none.`] : []),
  ];
}

/** In a workflow, the repository is the one of the packages. */
function findEnvironmentProblems(
  address: string,
  { GITHUB_ACTIONS, GITHUB_REPOSITORY, ACTIONS_ID_TOKEN_REQUEST_URL }: Readonly<NodeJS.ProcessEnv>,
): readonly string[] {
  if (GITHUB_ACTIONS !== "true") return [];
  const own = repositoryOf(address);
  const isOther = GITHUB_REPOSITORY !== own;
  return [
    ...(isOther
      ? [`package.json: the repository is ${own}, but this is ${GITHUB_REPOSITORY}.`]
      : []),
    ...(ACTIONS_ID_TOKEN_REQUEST_URL === undefined
      ? ["The job may not request a token: it needs `permissions: id-token: write`."]
      : []),
  ];
}
