module deskgate.example/benchmark

go 1.19
