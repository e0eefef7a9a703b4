// The floor's store on PostgreSQL: one statement per request on a pool of the same size as the product's, and one table
// for what is added. Updates append to a second one.

import { Pool } from "pg";
import type { Payload } from "../src/domain/record-type.ts";
import { defaultConnections } from "../src/store/interface/connection-settings.ts";
import { organizationId } from "./floor-schema.ts";
import type { Existence, FloorMode, FloorStore } from "./floor-store.ts";

const schema = `
  CREATE TABLE record (
    organization_id text COLLATE "C" NOT NULL,
    tx_id text COLLATE "C" NOT NULL,
    received_at bigint NOT NULL,
    first_seen text COLLATE "C" NOT NULL,
    last_seen text COLLATE "C" NOT NULL,
    payload text NOT NULL,
    PRIMARY KEY (organization_id, tx_id)
  );
  CREATE TABLE later_change (tx_id text NOT NULL, received_at bigint NOT NULL, payload text NOT NULL);
  CREATE VIEW change AS SELECT tx_id FROM record UNION ALL SELECT tx_id FROM later_change;`;

/** Each takes the ids, the time of arrival, the timestamps and the payloads. */
const statements: Readonly<Record<FloorMode, string>> = {
  add: `INSERT INTO record VALUES ('${organizationId}', $1, $2, $3, $3, $4)`,
  append: `
    INSERT INTO record
    SELECT '${organizationId}', tx_id, $2, timestamp, timestamp, payload
    FROM unnest($1::text[], $3::text[], $4::text[]) AS item (tx_id, timestamp, payload)
    ON CONFLICT DO NOTHING`,
  update: `
    WITH found AS (
      UPDATE record SET first_seen = least(first_seen, $3), last_seen = greatest(last_seen, $3)
      WHERE organization_id = '${organizationId}' AND tx_id = $1 RETURNING tx_id)
    INSERT INTO later_change SELECT tx_id, $2, $4 FROM found`,
};
const select = `SELECT first_seen, last_seen FROM record
  WHERE organization_id = '${organizationId}' AND tx_id = $1`;

export async function openFloor(url: string): Promise<FloorStore> {
  const pool = new Pool({ connectionString: url, max: defaultConnections.poolMax });
  await pool.query(schema);
  return {
    write: async (mode, items) => {
      const columns = [idsOf(items), timestampsOf(items), payloadsOf(items)] as const;
      const [ids, timestamps, payloads] = mode === "append" ? columns : columns.map(([one]) => one);
      const values = [ids, Date.now(), timestamps, payloads];
      const { rowCount } = await pool.query({ name: mode, text: statements[mode], values });
      return rowCount === items.length;
    },
    find: async (id) => {
      const { rows } = await pool.query<Existence>({ name: "find", text: select, values: [id] });
      return rows[0];
    },
    close: () => pool.end(),
  };
}

function idsOf(items: readonly Payload[]): readonly string[] {
  return items.map((item) => String(item["tx_id"]));
}

function timestampsOf(items: readonly Payload[]): readonly string[] {
  return items.map((item) => String(item["timestamp"]));
}

function payloadsOf(items: readonly Payload[]): readonly string[] {
  return items.map((item) => JSON.stringify(item));
}
