/** The silences of a server. */
export const blackoutsPath = (connectionId: number): string => `/blackouts?server=${connectionId}`;
