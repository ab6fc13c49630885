/**
 * The parts of the description that have a name, in `components`: every schema with an id (`.meta({ id: 'Report' })`), every answer
 * with a problem, and the example of each problem. Operations refer to them.
 */
import { problemCodes, type ProblemCode } from '@cupel/contracts'
import { z } from 'zod'
import { PROBLEM_MEDIA_TYPE } from './problem.js'
import { problemExample, problemSchema } from './problem-schema.js'

type Json = Record<string, unknown>

export interface Components {
  readonly schemas: Json
  readonly examples: Json
  readonly responses: Json
  /** A reference to the component where the schema has an id, else the schema itself. */
  schemaOf(schema: z.ZodType): Json
  /** A reference to the answer with one of these problems, which have one status. */
  problemOf(answer: ProblemResponse): Json
}

export interface ProblemResponse {
  readonly codes: readonly ProblemCode[]
  readonly headers: Json
  /** Suffix for the name of an answer whose headers differ from those of a call with a key. */
  readonly suffix: string
}

export function createComponents(): Components {
  const schemas: Json = {}
  const examples: Json = {}
  const responses: Json = {}
  const hoist = (json: Json): Json => {
    const text = JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/')
    const { $defs = {}, ...rest } = JSON.parse(text) as Json & { $defs?: Record<string, Json> }
    for (const [id, definition] of Object.entries($defs)) schemas[id] = withoutId(definition)
    return rest
  }
  const schemaOf = (schema: z.ZodType): Json => {
    const json = hoist(jsonSchema(schema))
    const id = schema.meta()?.id
    if (id === undefined) return json
    // A schema that its own definition refers to was hoisted already.
    if (!('$ref' in json)) schemas[id] = withoutId(json)
    return { $ref: `#/components/schemas/${id}` }
  }
  const exampleOf = (code: ProblemCode): Json => {
    examples[code] ??= { summary: problemCodes[code].title, value: problemExample(code) }
    return { $ref: `#/components/examples/${code}` }
  }
  return {
    ...{ schemas, examples, responses, schemaOf },
    problemOf({ codes, headers, suffix }) {
      const name = `${codes.map(pascalCase).join('Or')}${suffix}`
      responses[name] ??= {
        description: codes.map((code) => `\`${code}\`: ${problemCodes[code].title}.`).join(' '),
        headers,
        content: {
          [PROBLEM_MEDIA_TYPE]: {
            schema: schemaOf(problemSchema),
            examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
          },
        },
      }
      return { $ref: `#/components/responses/${name}` }
    },
  }
}

function pascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function withoutId(json: Json): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => name !== 'id' && name !== '$id'))
}

/**
 * Input form: requests may lack optional members, and answers may gain members (an open schema). A schema whose text form differs
 * from its meaning, such as a number in a query, states its description with `override`.
 */
export function jsonSchema(schema: z.ZodType): Json {
  const json = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema: node }) {
      const { override } = node as { override?: Json }
      if (override === undefined) return
      const { description } = node
      for (const name of Object.keys(node)) delete (node as Json)[name]
      Object.assign(node, override, description === undefined ? {} : { description })
    },
  }) as Json
  // The document as a whole names the dialect.
  delete json['$schema']
  return json
}
