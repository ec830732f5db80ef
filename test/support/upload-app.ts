import type { FastifyInstance } from 'fastify'
import sharp, { type Sharp } from 'sharp'
import type { Test } from 'tap'
import { createTestApp, testConfig } from './app.ts'
import { type Answer, createClient } from './client.ts'
import { makeMultipart, type Part } from './multipart.ts'

interface Sent {
  headers?: object
  payload: unknown
}

export interface UploadApp {
  app: FastifyInstance
  /** Where uploads are kept. */
  folder: string
  /** Status and body of a POST, by a wallet unless `auth` is empty. Rejects responses that violate the API's document. */
  post: <T>(url: string, sent: Sent, auth?: string) => Promise<Answer<T>>
  /** Uploads a picture. */
  upload: <T>(content: Buffer, part?: Partial<Part>) => Promise<Answer<T>>
}

/** The app with its own upload folder and the public URL https://launch.example. */
export async function createUploadApp(t: Test): Promise<UploadApp> {
  const folder = t.testdir({})
  const { app } = await createTestApp({
    config: testConfig({ DATA_DIR: folder, PUBLIC_URL: 'https://launch.example' }),
  })
  t.teardown(() => app.close())
  const ask = createClient(app)
  const authorization = `Bearer ${app.issueToken(`0x${'a'.repeat(40)}`)}`
  const post = <T>(url: string, { headers, payload }: Sent, auth = authorization) =>
    ask<T>({
      method: 'POST',
      url,
      headers: { ...(auth && { authorization: auth }), ...headers },
      payload: payload as object,
    })
  const upload = <T>(content: Buffer, part: Partial<Part> = {}) =>
    post<T>(
      '/uploads/image',
      makeMultipart({ name: 'file', filename: 'a.png', contentType: 'image/png', content, ...part }),
    )
  return { app, folder, post, upload }
}

/** A picture of one half-transparent colour. */
export const canvas = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 4, background: { r: 20, g: 120, b: 200, alpha: 0.5 } } })
