// How letters are written in a to z, for the search by name. A letter that countries or authorities write in several
// ways has several spellings, in columns. A name is spelled with one column at a time, so each name has few spellings.

/** Letters that have no marks to remove, and those whose marks are also written as letters. */
const latin = `
  ß ss, æ ae, œ oe, ł l, þ th, ð d dh, đ d dj, ħ h, ı i, ŋ n ng, ŧ t, ĸ k, ə e a, ø o oe,
  ö o oe, ä a ae, ü u ue, å a aa`;

/** As in travel documents (ICAO Doc 9303), as commonly written in English, and as Ukraine writes its names. */
const cyrillic = `
  ий ii y yi, ый yi y yi, а a, б b, в v, г g g h, ґ g, д d, е e, ё e yo e, є ie ye ie, ж zh,
  з z, и i i y, і i, ї i yi i, й i y i, к k, л l, м m, н n, о o, п p, р r, с s, т t, у u, ў u,
  ф f, х kh h kh, ц ts, ч ch, ш sh, щ shch, ъ ie a -, ы y, ь -, э e, ю iu yu iu, я ia ya ia,
  ј j, љ lj, њ nj, ћ c, ђ d dj, џ dz`;

/** As in passports (ELOT 743), and as commonly written in English. */
const greek = `
  ου ou, αυ av au, ευ ev eu, γγ ng, γκ gk g, μπ mp b, ντ nt d, α a, β v b, γ g, δ d, ε e, ζ z,
  η i, θ th, ι i, κ k, λ l, μ m, ν n, ξ x, ο o, π p, ρ r, σ s, ς s, τ t, υ y i, φ f ph, χ ch h,
  ψ ps, ω o`;

const columns = 3;

/**
 * By a letter or a pair of letters. In the tables, `-` means no letter, and the last spelling fills the remaining
 * columns.
 */
const spellings: ReadonlyMap<string, readonly string[]> = new Map(
  [latin, cyrillic, greek]
    .flatMap((table) => table.split(","))
    .map((entry) => {
      const [letters = "", ...given] = entry.trim().split(" ");
      const texts = given.map((text) => (text === "-" ? "" : text));
      return [letters, Array.from({ length: columns }, (_, at) => texts[at] ?? texts.at(-1) ?? "")];
    }),
);

const marks = /\p{M}/gu;

/**
 * The spellings of a text in lower case without marks, each once: at most three. Letters of other scripts and other
 * characters stay.
 */
export function spell(text: string): readonly string[] {
  const small = text.normalize("NFKC").toLowerCase().normalize("NFC");
  const letters = Array.from(small).flatMap((letter) =>
    spellings.has(letter) ? [letter] : bare(letter),
  );
  const spelled: string[][] = Array.from({ length: columns }, () => []);
  for (let at = 0; at < letters.length;) {
    const [one = "", next = ""] = letters.slice(at, at + 2);
    const pair = next === "" ? undefined : spellings.get(one + next);
    const own = pair ?? spellings.get(one);
    for (const [column, parts] of spelled.entries()) parts.push(own?.[column] ?? one);
    at += pair === undefined ? 1 : 2;
  }
  return [...new Set(spelled.map((parts) => parts.join("")))];
}

function bare(letter: string): readonly string[] {
  return Array.from(letter.normalize("NFD").replaceAll(marks, ""));
}
