// The error of a store whose database was put back to an earlier state.

/** The database that answers is an earlier state of the store: nothing is read from it. */
export class EarlierState extends Error {
  override readonly name = "EarlierState";

  constructor() {
    super(
      "An earlier state of the database is in its place: it lacks entries that the ledger of deletions has, and may " +
        "contain records that were erased. It is not used. If it was restored, run: sluice deletion replay",
    );
  }
}
