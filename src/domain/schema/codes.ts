// The code lists of ISO 3166-1 (countries) and ISO 4217 (currencies) that records are checked against.
// Data only: knows no names, and is updated by hand when the standards are amended (both as of November 2026).

// Kosovo has no official code. XK and XKX are user-assigned ones that banks, SWIFT and the European Commission use, so
// both lists end with them.

/** ISO 3166-1 alpha-2: all 249 officially assigned codes, and XK. */
export const countriesAlpha2: ReadonlySet<string> = setOf(`
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR
  BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ
  EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW
  GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY
  KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV
  MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY
  QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG
  TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM
  ZW
  XK
`);

/** ISO 3166-1 alpha-3: all 249 officially assigned codes, and XKX. */
export const countriesAlpha3: ReadonlySet<string> = setOf(`
  ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD
  BGR BHR BHS BIH BLM BLR BLZ BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR
  COD COG COK COL COM CPV CRI CUB CUW CXR CYM CYP CZE DEU DJI DMA DNK DOM DZA ECU EGY ERI ESH
  ESP EST ETH FIN FJI FLK FRA FRO FSM GAB GBR GEO GGY GHA GIB GIN GLP GMB GNB GNQ GRC GRD GRL
  GTM GUF GUM GUY HKG HMD HND HRV HTI HUN IDN IMN IND IOT IRL IRN IRQ ISL ISR ITA JAM JEY JOR
  JPN KAZ KEN KGZ KHM KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR
  MCO MDA MDG MDV MEX MHL MKD MLI MLT MMR MNE MNG MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM NCL
  NER NFK NGA NIC NIU NLD NOR NPL NRU NZL OMN PAK PAN PCN PER PHL PLW PNG POL PRI PRK PRT PRY
  PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SGS SHN SJM SLB SLE SLV SMR SOM SPM SRB SSD STP
  SUR SVK SVN SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON TTO TUN TUR TUV TWN TZA
  UGA UKR UMI URY USA UZB VAT VCT VEN VGB VIR VNM VUT WLF WSM YEM ZAF ZMB ZWE
  XKX
`);

// ISO 4217, list one: every active code, with funds (CHW, MXV …), metals, XTS (testing) and XXX (no currency).
const activeCurrencies = `
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN
  BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR
  FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY
  KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU
  MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON
  RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP
  TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB
  XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG
`;

// Withdrawn since 2021. A record's timestamp is business time: what happened in levs in 2025 is still reported in levs.
const withdrawnCurrencies = "ANG BGN CUC HRK SLL ZWL";

/** ISO 4217 codes: all that are active, and those withdrawn too recently to have left the books. */
export const currencies: ReadonlySet<string> = setOf(`${activeCurrencies} ${withdrawnCurrencies}`);

/** What is often sent in place of a code. */
const mistaken: Readonly<Record<string, string>> = { UK: "GB", EL: "GR", RMB: "CNY", NIS: "ILS" };

/** The code among these that the text means in another case, with blanks around it, or by a common mistake. */
export function codeMeantBy(text: string, codes: ReadonlySet<string>): string | undefined {
  if (text.length > mistakenCharactersMax) return undefined;
  const sent = text.trim().toUpperCase();
  const meant = Object.hasOwn(mistaken, sent) ? mistaken[sent] : sent;
  return meant !== undefined && codes.has(meant) ? meant : undefined;
}

const mistakenCharactersMax = 16;

function setOf(codes: string): ReadonlySet<string> {
  return new Set(codes.trim().split(/\s+/));
}
