-- SPDX-License-Identifier: Apache-2.0
-- wrk: POST the file named in KARTA_BODY as JSON.
local file = assert(io.open(os.getenv("KARTA_BODY"), "rb"))
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = file:read("*a")
file:close()
