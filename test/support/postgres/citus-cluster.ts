// Databases of a Citus cluster: created on every node, with the extension, and joined. The nodes
// are read from the coordinator's own database, so a cluster that somebody else set up works as
// well. Starts no server.

type Rows = readonly Readonly<Record<string, unknown>>[];
export type QueryAs = (url: string, sql: string) => Promise<Rows>;

/**
 * How many workers the servers of tests get, whose programs (SLUICE_TEST_POSTGRES_BIN) must include
 * Citus; 0 for a cluster of one node. Unset: no Citus.
 */
export function wantedWorkers(): number | undefined {
  const { SLUICE_TEST_CITUS_WORKERS: given } = process.env;
  return given === undefined ? undefined : Number(given);
}

/** Few shards, so that a test has little to create and to empty. */
const nodeSettings: Readonly<Record<string, string>> = {
  wal_level: "logical",
  max_connections: "300",
  max_prepared_transactions: "300",
  max_worker_processes: "64",
  "citus.shard_count": "8",
  "citus.node_conninfo": "sslmode=disable",
  "citus.recover_2pc_interval": "2s",
};

/** The settings of a server that is to be a node. */
export function asNode(
  settings: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const { shared_preload_libraries: others } = settings;
  const libraries = others === undefined ? "citus" : `citus,${others}`;
  return { ...settings, ...nodeSettings, shared_preload_libraries: libraries };
}

/** The workers, as seen from the coordinator's own database; undefined where that has no Citus. */
export async function findWorkers(
  queryAs: QueryAs,
  adminUrl: string,
): Promise<readonly string[] | undefined> {
  const [found] = await queryAs(
    adminUrl,
    "SELECT to_regclass('pg_dist_node') IS NOT NULL AS citus",
  );
  if (found?.["citus"] !== true) return undefined;
  const nodes = await queryAs(
    adminUrl,
    "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeid",
  );
  return nodes.map(({ nodename, nodeport }) => {
    const url = new URL(adminUrl);
    url.hostname = String(nodename);
    url.port = String(nodeport);
    return url.href;
  });
}

/** Adds the extension to the databases and joins them into one cluster. */
export async function joinCluster(
  queryAs: QueryAs,
  coordinatorUrl: string,
  workers: readonly string[],
): Promise<void> {
  for (const url of [coordinatorUrl, ...workers]) await queryAs(url, "CREATE EXTENSION citus");
  const { hostname, port } = new URL(coordinatorUrl);
  if (workers.length === 0) return;
  await queryAs(coordinatorUrl, `SELECT citus_set_coordinator_host('${hostname}', ${port})`);
  for (const worker of workers) {
    const { hostname: name, port: at } = new URL(worker);
    await queryAs(coordinatorUrl, `SELECT citus_add_node('${name}', ${at})`);
  }
}
