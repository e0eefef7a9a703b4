// Finds a database that was named to another program only. Nothing of it is read here.

/** Variables by which other programs are told where a database is. */
const foreignDatabases = [
  "POSTGRES_URL",
  "POSTGRESQL_URL",
  "POSTGRES_HOST",
  "PGHOST",
  "PGDATABASE",
  "PGSERVICE",
  "DATABASE_HOST",
  "DB_URL",
  "DB_HOST",
];

/** Where such a variable is set, an embedded store is hardly meant; production must not start on one by mistake. */
export function findForeignDatabase(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const isSet = (name: string) => (environment[name] ?? "") !== "";
  const foreign = foreignDatabases.find(isSet);
  if (foreign === undefined || isSet("DATABASE_URL")) return [];
  return [
    `${foreign} is set, but Sluice reads only DATABASE_URL: set it to postgres://…, or to sqlite: and a path for an ` +
      "embedded store.",
  ];
}
