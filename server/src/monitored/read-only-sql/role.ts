// What a role may do on its server beyond reading, as measured there. Guards: what could not be measured counts as allowed.
export interface RolePowers {
  readonly name: string;
  /** It is one, or may become one. */
  readonly is_superuser: boolean;
  readonly creates_roles: boolean;
  readonly creates_databases: boolean;
  readonly replicates: boolean;
  readonly bypasses_row_security: boolean;
  /** Predefined roles that may do more than read. */
  readonly memberships: string[];
  /** In the database that was connected to; 1000 stands for as many or more. */
  readonly owned_relations: number;
}

const MOST_NAMES = 50;
const isText = (value: unknown): value is string => typeof value === 'string';

/** Of a row of ROLE. */
export function rolePowers(row: Readonly<Record<string, unknown>> | undefined): RolePowers {
  const { memberships, owned_relations: owned } = row ?? {};
  return {
    name: isText(row?.name) ? row.name : '',
    is_superuser: row?.is_superuser !== false,
    creates_roles: row?.creates_roles !== false,
    creates_databases: row?.creates_databases !== false,
    replicates: row?.replicates !== false,
    bypasses_row_security: row?.bypasses_row_security !== false,
    memberships: Array.isArray(memberships) ? memberships.slice(0, MOST_NAMES).filter(isText) : [],
    owned_relations: typeof owned === 'number' ? owned : 1000,
  };
}
