FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /resolwe ./cmd/resolwe

FROM scratch
COPY --from=build /resolwe /src/LICENSE /src/LICENSES /
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/resolwe"]
