// Writes an image as an OCI image layout (image-spec 1.1): blobs named by their digests, a configuration, a manifest for
// each platform, and the index that lists them. An image of the same input has the same digest.

import { createHash, randomUUID } from "node:crypto";
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { healthCheck, imageConfig } from "./image-config.js";
import { tarOf } from "./tar.js";

const mediaType = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
};

/** Adds the image of one platform to the layout in `folder`, in the place of an earlier one for that platform. */
export async function writeImage(folder, image) {
  const { architecture, layers, level, createdSeconds, version } = image;
  mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
  const written = await Promise.all(
    layers.map((layer) => writeLayer(folder, layer, { level, createdSeconds })),
  );
  const created = new Date(createdSeconds * 1_000).toISOString();
  const config = writeJson(folder, mediaType.config, {
    created,
    architecture,
    os: "linux",
    config: { ...imageConfig, Healthcheck: healthCheck, Labels: labels(version) },
    rootfs: { type: "layers", diff_ids: written.map(({ diffId }) => diffId) },
    history: layers.map(({ title }) => ({ created, created_by: title })),
  });
  const manifest = writeJson(folder, mediaType.manifest, {
    schemaVersion: 2,
    mediaType: mediaType.manifest,
    config,
    layers: written.map(({ descriptor }) => descriptor),
    annotations: labels(version),
  });
  writeIndex(folder, { ...manifest, platform: { architecture, os: "linux" } }, version);
  const bytes = [manifest, config, ...written.map(({ descriptor }) => descriptor)];
  return { digest: manifest.digest, bytes: bytes.reduce((sum, { size }) => sum + size, 0) };
}

function labels(version) {
  return {
    "org.opencontainers.image.title": "Sluice",
    "org.opencontainers.image.description": "A self-hosted intake service for financial records.",
    "org.opencontainers.image.licenses": "Apache-2.0",
    "org.opencontainers.image.version": version,
  };
}

async function writeLayer(folder, { entries }, { level, createdSeconds }) {
  const unpacked = createHash("sha256");
  const packed = createHash("sha256");
  let size = 0;
  const part = join(folder, `blobs/${randomUUID()}.part`);
  await pipeline(
    Readable.from(tarOf(entries, createdSeconds)),
    observe((chunk) => unpacked.update(chunk)),
    createGzip({ level }),
    observe((chunk) => {
      packed.update(chunk);
      size += chunk.length;
    }),
    createWriteStream(part),
  );
  const digest = `sha256:${packed.digest("hex")}`;
  renameSync(part, blobPath(folder, digest));
  const descriptor = { mediaType: mediaType.layer, digest, size };
  return { descriptor, diffId: `sha256:${unpacked.digest("hex")}` };
}

/** Passes everything on, and shows it to `see`. */
function observe(see) {
  return new Transform({
    transform: (chunk, _, done) => {
      see(chunk);
      done(null, chunk);
    },
  });
}

function writeJson(folder, type, value) {
  const bytes = Buffer.from(JSON.stringify(value));
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  writeFileSync(blobPath(folder, digest), bytes);
  return { mediaType: type, digest, size: bytes.length };
}

function blobPath(folder, digest) {
  return join(folder, "blobs", ...digest.split(":"));
}

/**
 * The entry of the layout is an index with one manifest for each platform, so that tools choose by platform, also where
 * the layout has only one.
 */
function writeIndex(folder, manifest, version) {
  const path = join(folder, "index.json");
  const before = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).manifests[0] : undefined;
  const earlier = before === undefined ? [] : readJson(folder, before).manifests;
  const { architecture } = manifest.platform;
  const others = earlier.filter(({ platform }) => platform.architecture !== architecture);
  const manifests = [...others, manifest].sort((a, b) =>
    a.platform.architecture < b.platform.architecture ? -1 : 1,
  );
  const index = { schemaVersion: 2, mediaType: mediaType.index };
  const image = writeJson(folder, mediaType.index, { ...index, manifests });
  if (before !== undefined && before.digest !== image.digest) {
    rmSync(blobPath(folder, before.digest));
  }
  const annotations = { "org.opencontainers.image.ref.name": version };
  writeFileSync(path, JSON.stringify({ ...index, manifests: [{ ...image, annotations }] }));
  writeFileSync(join(folder, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
}

function readJson(folder, { digest }) {
  return JSON.parse(readFileSync(blobPath(folder, digest), "utf8"));
}
