// A software bill of materials in CycloneDX 1.6 JSON, as far as it is used here. The same input has the same bytes: the
// serial number is derived from the content.

import { createHash } from "node:crypto";

export interface Component {
  readonly type: "application" | "container" | "library";
  readonly "bom-ref": string;
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly scope?: "required" | "optional";
  readonly hashes?: readonly { readonly alg: "SHA-256" | "SHA-512"; readonly content: string }[];
  readonly licenses?: readonly (
    { readonly license: { readonly id: string } } | { readonly expression: string }
  )[];
  readonly cpe?: string;
  readonly purl?: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
  readonly components?: readonly Component[];
}

export interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

export interface Sbom {
  readonly $schema: string;
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly serialNumber: string;
  readonly version: 1;
  readonly metadata: {
    readonly timestamp: string;
    readonly lifecycles: readonly { readonly phase: "build" }[];
    readonly tools: { readonly components: readonly Component[] };
    readonly component: Component;
  };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

export interface Content {
  /** What the document describes. */
  readonly component: Component;
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

/** `madeAt`: seconds since 1970, of the commit. */
export function makeSbom(content: Content, madeAt: number): Sbom {
  const { component, components, dependencies } = content;
  const tool: Component = {
    type: "application",
    "bom-ref": "tool:release",
    name: "npm run release",
    ...(component.version === undefined ? {} : { version: component.version }),
  };
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([content, madeAt]))}`,
    version: 1,
    metadata: {
      timestamp: new Date(madeAt * 1_000).toISOString(),
      lifecycles: [{ phase: "build" }],
      tools: { components: [tool] },
      component,
    },
    components,
    dependencies,
  };
}

/** A UUID of version 8 (RFC 9562): the first bits of a hash. */
function uuidOf(text: string): string {
  const hash = createHash("sha256").update(text).digest("hex");
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`];
  return [...parts, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join("-");
}
