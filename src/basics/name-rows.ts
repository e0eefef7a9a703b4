// A feature adds to the errors, the rights and the actions of the audit trail of the core. The core finds its own by
// name in a table, and those of a feature are passed on as values: rows that know their names.

declare const ofFeature: unique symbol;

/** A name that no table of the core has. */
export type FeatureName = string & { readonly [ofFeature]: true };

export type Named<Row> = Row & { readonly name: FeatureName };

export function nameRows<Row extends object, const Name extends string>(
  rows: Readonly<Record<Name, Row>>,
): Readonly<Record<Name, Named<Row>>> {
  const named = Object.entries<Row>(rows).map(([name, row]) => [name, { ...row, name }] as const);
  return Object.fromEntries(named) as unknown as Readonly<Record<Name, Named<Row>>>;
}
