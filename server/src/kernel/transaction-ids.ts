// Where the server refuses commands that need another transaction or multixact id: 3 million before the 2,147,483,647 that there are, in
// PostgreSQL 14 to 18.
export const IDS_UNTIL_STOP = 2_147_483_647 - 3_000_000;
