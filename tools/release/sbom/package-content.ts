// What the npm package brings: its production dependencies, as the lock file names them. `npm sbom` is not used, because
// with --omit=dev it leaves out packages that development needs as well, such as the client of PostgreSQL.

import type { Manifest } from "../files.ts";
import { type Lock, needsOf, productionPackages, type ProductionPackage } from "../lock.ts";
import type { Component, Content, Dependency } from "./document.ts";

/** Without the optional packages where they are not installed: in the image. */
export function describePackage(
  { name = "", version = "", license = "" }: Manifest,
  lock: Lock,
  { withOptional }: { withOptional: boolean },
): Content {
  const packages = productionPackages(lock).filter((one) => withOptional || !one.isOptional);
  const refs = new Map(packages.map((one) => [one.path, purlOf(one.name, one.locked.version)]));
  const component = componentOf("application", { name, version, license });
  // One that is installed twice in the same version is one component.
  const components = new Map(packages.map((one) => [refs.get(one.path), describe(one)]));
  const graph = new Map<string, ReadonlySet<string>>();
  for (const path of ["", ...refs.keys()]) {
    const ref = path === "" ? component["bom-ref"] : (refs.get(path) ?? "");
    const needs = needsOf(lock, path).flatMap((need) => refs.get(need) ?? []);
    graph.set(ref, new Set([...(graph.get(ref) ?? []), ...needs]));
  }
  return {
    component,
    components: [...components.values()].sort(byRef),
    dependencies: [...graph].map(toDependency).sort((a, b) => (a.ref < b.ref ? -1 : 1)),
  };
}

export function purlOf(name: string, version = ""): string {
  return `pkg:npm/${name.replace("@", "%40")}@${encodeURIComponent(version)}`;
}

export function licencesOf(license: string): NonNullable<Component["licenses"]> {
  return license.includes(" ") ? [{ expression: license }] : [{ license: { id: license } }];
}

function describe({ name, locked, isOptional }: ProductionPackage): Component {
  const { version = "", license = "", integrity = "" } = locked;
  const content = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
  return {
    ...componentOf("library", { name, version, license }),
    scope: isOptional ? "optional" : "required",
    hashes: [{ alg: "SHA-512", content }],
  };
}

function componentOf(
  type: Component["type"],
  { name, version, license }: { name: string; version: string; license: string },
): Component {
  const purl = purlOf(name, version);
  const [, group, own = name] = /^(@[^/]+)\/(.*)$/.exec(name) ?? [];
  return {
    type,
    "bom-ref": purl,
    ...(group === undefined ? {} : { group }),
    name: own,
    version,
    licenses: licencesOf(license),
    purl,
  };
}

function toDependency([ref, needs]: readonly [string, ReadonlySet<string>]): Dependency {
  return { ref, dependsOn: [...needs].sort() };
}

function byRef(a: Component, b: Component): number {
  return a["bom-ref"] < b["bom-ref"] ? -1 : 1;
}
